"""A web server on this machine that speaks https, with a certificate that only tests trust, or http."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_CERTIFICATE = Path(__file__).with_suffix(".pem")

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Web:
    """`address` is that of the server, without a path; `asked` the paths that were asked for."""

    address: str
    asked: list[str] = field(default_factory=list)


def trusted() -> ssl.SSLContext:
    """Trusts the server of this file, and no other."""
    return ssl.create_default_context(cafile=str(_CERTIFICATE))


@contextmanager
def web(answer: Answer, *, tls: bool = True) -> Iterator[Web]:
    """Serve until the end of the block; `answer` writes what is answered to every request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            with suppress(OSError):  # who asked may have gone
                answer(self)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name that is overridden)
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(_CERTIFICATE)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    served = Web(f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def data(content: bytes, status: int = 200) -> Answer:
    """Answers with the content."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def redirect(address: str, status: int = 302) -> Answer:
    """Sends everybody to another address."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Location", address)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer
