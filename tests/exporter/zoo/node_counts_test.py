"""The table of node counts in the documents is that of the fixtures, and graphs stay as small as they are to be."""

import node_count_table
from rml_export.zoo import MODELS, ROUTES


def test_the_table_in_the_documents_is_that_of_the_fixtures():
    text = node_count_table.DOCUMENT.read_text()
    assert text == node_count_table.updated(text), "run exporter/node_count_table.py"


def test_every_fixture_is_counted():
    found = node_count_table.counts()
    assert tuple(found) == MODELS
    assert all(set(ROUTES) == set(row) for row in found.values())
    assert set(ROUTES) <= set(node_count_table.ROUTES)


def test_graphs_beyond_their_target_have_a_reason():
    routes = {route for row in node_count_table.counts().values() for route in row}
    reasons = {key for key in node_count_table.REASONS if key[0] in routes}
    assert node_count_table.exceeding(node_count_table.counts()) == reasons
