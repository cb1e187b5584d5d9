"""Servers that are not rml-server, each a function of one connection, and connections that take their time."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tests.e2e.running_server import SECONDS


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """Each connection is given to `serve` on a thread of its own; the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve_and_close(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                serve(connection)

        def accept() -> None:
            with suppress(OSError):  # the listener is closed
                while True:
                    connection, _ = listener.accept()
                    threading.Thread(target=serve_and_close, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def far(address: str, seconds: float) -> Callable[[socket.socket], None]:
    """Passes everything on to the address, each way `seconds` later."""
    host, port = address.rsplit(":", 1)

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        never = threading.Event()
        with suppress(OSError):
            while data := source.recv(65536):
                never.wait(seconds)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def serve(connection: socket.socket) -> None:
        with socket.create_connection((host, int(port)), timeout=SECONDS) as server:
            back = threading.Thread(target=pass_on, args=(server, connection), daemon=True)
            back.start()
            pass_on(connection, server)
            back.join()

    return serve


def hang_up(_connection: socket.socket) -> None:
    pass


def http(connection: socket.socket) -> None:
    connection.recv(4096)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def noise(connection: socket.socket) -> None:
    connection.sendall(bytes(range(256)) * 16)
    while connection.recv(4096):
        pass


def send(address: str, data: bytes) -> bytes:
    """Sends it and says what came back before the other side closed, or nothing more came for a moment."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
        answer = b""
        with suppress(OSError):  # the other side may close before all is sent
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(4096):
                answer += part
        return answer


def silent_after_the_handshake(connection: socket.socket) -> None:
    connection.sendall(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00")  # an empty SETTINGS frame
    while connection.recv(4096):
        pass
