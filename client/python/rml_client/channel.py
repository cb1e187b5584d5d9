"""How both clients connect."""

import re

DEFAULT_PORT = 8001
DEFAULT_ADDRESS = f"127.0.0.1:{DEFAULT_PORT}"
DEFAULT_TIMEOUT_SECONDS = 60.0
_ADDRESS = re.compile(r"(?:\[[^\]]*\]|[^:\[][^:]*)(?::(?P<port>[0-9]{1,5}))?")


def channel_options() -> list[tuple[str, int]]:
    return [
        ("grpc.max_send_message_length", -1),  # the server has its limit and names it
        ("grpc.max_receive_message_length", -1),
        ("grpc.enable_retries", 0),  # retry.py decides
        # gRPC by itself waits a second before it connects again, longer than the retries last.
        ("grpc.initial_reconnect_backoff_ms", 50),
        ("grpc.min_reconnect_backoff_ms", 5000),  # how long one attempt to connect may take, whatever the name says
        ("grpc.max_reconnect_backoff_ms", 1000),
        ("grpc.use_local_subchannel_pool", 1),  # a connection of its own, closed with the client
    ]


def with_port(address: str) -> str:
    """The address as gRPC takes it, "host:port": as it is, or with DEFAULT_PORT where it names none.

    ValueError for anything else: gRPC takes ports modulo 65536, so that "host:99999" would be some other program.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or not (match["port"] is None or 1 <= int(match["port"]) <= 65535):
        expected = f"HOST or HOST:PORT with a port of 1 to 65535 ({DEFAULT_PORT} without one), IPv6 hosts in brackets"
        raise ValueError(f"server address '{address}'; expected {expected}")
    return address if match["port"] else f"{address}:{DEFAULT_PORT}"
