"""How both clients connect."""

DEFAULT_ADDRESS = "127.0.0.1:8001"
DEFAULT_TIMEOUT_SECONDS = 60.0


def channel_options() -> list[tuple[str, int]]:
    return [
        ("grpc.max_send_message_length", -1),  # the server has its limit and names it
        ("grpc.max_receive_message_length", -1),
        ("grpc.enable_retries", 0),  # retry.py decides
        ("grpc.use_local_subchannel_pool", 1),  # a connection of its own, closed with the client
    ]


def checked_address(address: str) -> str:
    """The address, if it is "host:port". gRPC takes ports modulo 65536: "host:99999" would be some other program."""
    host, _, port = address.rpartition(":")
    if not (host and port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise ValueError(f"server address '{address}'; expected HOST:PORT with a port of 1 to 65535")
    return address
