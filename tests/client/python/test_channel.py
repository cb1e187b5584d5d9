"""Which addresses the clients take."""

import pytest

from rml_client import AsyncClient, Client


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize(
    "address", ["", "localhost", ":8001", "localhost:", "localhost:http", "localhost:0", "localhost:65536"]
)
def test_an_address_needs_a_host_and_a_port(client, address):
    with pytest.raises(ValueError, match=f"server address '{address}'; expected HOST:PORT"):
        client(address)
