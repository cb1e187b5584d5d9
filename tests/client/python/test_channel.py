"""Which addresses the clients take."""

import pytest

from rml_client import AsyncClient, Client
from rml_client.channel import with_port

# The same cases as in tests/client/cpp/address_test.cc.
GOOD = {
    "localhost": "localhost:8001",
    "localhost:1": "localhost:1",
    "10.0.0.5:65535": "10.0.0.5:65535",
    "10.0.0.5": "10.0.0.5:8001",
    "[::1]": "[::1]:8001",
    "[::1]:9": "[::1]:9",
}
BAD = [
    *("", ":8001", "localhost:", "localhost:http", "localhost:0", "localhost:65536", "localhost:+1", "localhost: 1"),
    *("localhost:1:2", "::1", "[::1", "[::1]8001", "[::1]:"),
]


@pytest.mark.parametrize("address", GOOD)
def test_a_port_is_added_where_there_is_none(address):
    assert with_port(address) == GOOD[address]


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize("address", BAD)
def test_what_is_no_address(client, address):
    with pytest.raises(ValueError) as raised:
        client(address)
    assert str(raised.value).startswith(f"server address '{address}'; expected HOST or HOST:PORT")
