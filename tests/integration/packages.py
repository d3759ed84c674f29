"""A registry of packages on this machine, for npm and for Python, with one package whose program says where it runs."""

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAME, VERSION = "fake-agent", "1.2.3"


class Registry:
    """Serves the package, whose program prints `word`, its folder, its arguments and PATH; counts what is asked."""

    def __init__(self, word: str) -> None:
        self.asked: list[str] = []
        self._files = {f"/{NAME}.tgz": _npm_package(word), f"/{_WHEEL}": _wheel(word)}
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                registry.asked.append(self.path)
                data, kind = registry._answer(self.path)
                self.send_response(200 if data else 404)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            do_HEAD = do_POST = do_GET  # noqa: N815 - as above

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def _answer(self, path: str) -> tuple[bytes, str]:
        if path.rstrip("/") == f"/{NAME}":
            return self._npm_index(), "application/json"
        if path.rstrip("/") == f"/simple/{NAME}":
            return f'<a href="/{_WHEEL}">{_WHEEL}</a>'.encode(), "text/html"
        return self._files.get(path, b""), "application/octet-stream"

    def _npm_index(self) -> bytes:
        package = self._files[f"/{NAME}.tgz"]
        digest = base64.b64encode(hashlib.sha512(package).digest()).decode()
        dist = {"tarball": f"{self.address}/{NAME}.tgz", "integrity": f"sha512-{digest}"}
        version = {**_MANIFEST, "dist": dist}
        return json.dumps({"name": NAME, "dist-tags": {"latest": VERSION}, "versions": {VERSION: version}}).encode()


@contextmanager
def registry(word: str) -> Iterator[Registry]:
    """The registry while it serves."""
    served = Registry(word)
    thread = threading.Thread(target=served.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        served.server.shutdown()
        thread.join()
        served.server.server_close()


_MANIFEST = {"name": NAME, "version": VERSION, "bin": {NAME: "agent.js"}}
_WHEEL = f"fake_agent-{VERSION}-py3-none-any.whl"


def npm_program(word: str) -> str:
    """The program as npm has it."""
    return (
        "#!/usr/bin/env node\nconst [, , ...args] = process.argv;\n"
        f"console.log(JSON.stringify({{word: {json.dumps(word)}, cwd: process.cwd(), args, env: process.env}}));\n"
    )


def _npm_package(word: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in (("package.json", json.dumps(_MANIFEST)), ("agent.js", npm_program(word))):
            member = tarfile.TarInfo(f"package/{name}")
            member.size, member.mode = len(text.encode()), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


def _wheel(word: str) -> bytes:
    about = f"fake_agent-{VERSION}.dist-info"
    files = {
        "fake_agent.py": "import json, os, sys\ndef main():\n"
        f"    print(json.dumps(dict(word={word!r}, cwd=os.getcwd(), args=sys.argv[1:], env=dict(os.environ))))\n",
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": f"[console_scripts]\n{NAME} = fake_agent:main\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in {**files, f"{about}/RECORD": record}.items():
            archive.writestr(name, text)
    return packed.getvalue()
