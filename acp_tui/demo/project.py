"""The small Python project that the demo works on: a login with a bug, and the test that shows it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

BUG = "    return now - session.started > SESSION_TIMEOUT\n"
FIX = "    return now - session.started > SESSION_TIMEOUT * 60\n"

_README = """\
# Login

A tiny project with one bug: sessions should last thirty minutes, and end after thirty seconds.

    python3 -m tests
"""

_LOGIN = '''\
"""Who is logged in, and for how long."""

from dataclasses import dataclass

SESSION_TIMEOUT = 30  # minutes


@dataclass
class Session:
    """A login that lasts for a while."""

    user: str
    started: float  # seconds


def log_in(user: str, password: str, now: float) -> Session:
    """Begin a session; raises PermissionError for a wrong password."""
    if password != f"{user}-secret":
        raise PermissionError(f"wrong password for {user}")
    return Session(user, now)


def is_expired(session: Session, now: float) -> bool:
    """Whether a session has lasted longer than the timeout."""
    return now - session.started > SESSION_TIMEOUT
'''

_TEST = '''\
"""What the login promises."""

import time
import unittest

from src.login import is_expired, log_in


class LoginTest(unittest.TestCase):
    def setUp(self):
        time.sleep(0.15)  # as slow as a real one

    def test_right_password(self):
        self.assertEqual(log_in("ada", "ada-secret", 0).user, "ada")

    def test_wrong_password(self):
        with self.assertRaises(PermissionError):
            log_in("ada", "guess", 0)

    def test_session_lasts_a_minute(self):
        self.assertFalse(is_expired(log_in("ada", "ada-secret", 0), now=60))

    def test_session_ends_within_an_hour(self):
        self.assertTrue(is_expired(log_in("ada", "ada-secret", 0), now=3600))
'''

_RUNNER = '''\
"""Runs the tests and tells about each at once, in colour."""

import sys
import unittest

GREEN, RED, BOLD, DIM, PLAIN = "\\x1b[32m", "\\x1b[31m", "\\x1b[1m", "\\x1b[2m", "\\x1b[0m"


class Result(unittest.TestResult):
    def tell(self, sign, test):
        print(f"{sign}{PLAIN} {test.id().rpartition('.')[2]}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.tell(f"{GREEN}✓", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.tell(f"{RED}✗", test)
        print(f"{DIM}{self.failures[-1][1].rstrip()}{PLAIN}", flush=True)

    def addError(self, test, err):
        super().addError(test, err)
        self.tell(f"{RED}!", test)
        print(f"{DIM}{self.errors[-1][1].rstrip()}{PLAIN}", flush=True)


result = Result()
unittest.defaultTestLoader.discover("tests", top_level_dir=".").run(result)
colour = GREEN if result.wasSuccessful() else RED
failed = len(result.failures) + len(result.errors)
print(f"\\n{BOLD}{colour}{result.testsRun - failed} passed, {failed} failed{PLAIN}")
sys.exit(not result.wasSuccessful())
'''

FILES = {
    "README.md": _README,
    "src/login.py": _LOGIN,
    "tests/__init__.py": "",
    "tests/__main__.py": _RUNNER,
    "tests/test_login.py": _TEST,
}


def create(folder: Path) -> None:
    """Write the project into `folder`, which is made if need be; files of the same names are replaced."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def scratch() -> Iterator[Path]:
    """The project in a folder that goes when the program does."""
    with TemporaryDirectory(prefix="acp-tui-", ignore_cleanup_errors=True) as folder:
        cwd = Path(folder).resolve() / "demo"
        cwd.mkdir()
        create(cwd)
        yield cwd
