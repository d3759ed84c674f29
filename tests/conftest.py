"""What all tests share: an environment that does not colour or move what is measured."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

for name in ("NO_COLOR", "TEXTUAL_THEME", "TEXTUAL", "FORCE_COLOR", "TEXTUAL_ANIMATIONS"):
    os.environ.pop(name, None)
os.environ.setdefault("TEXTUAL_SPEEDUPS", "0")
os.environ["TEXTUAL_FPS"] = "240"  # each key that a test presses waits for a frame
# Else each worker, and every process that a test starts, compiles the program and all tests anew (10 s each).
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A job in the background ignores them, and so would all that it starts.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        with suppress(ValueError):  # not the main thread
            signal.signal(number, signal.SIG_DFL)


# No test asserts a time, on no machine. A run by hand with `--hypothesis-profile=deep` looks further; what it finds
# becomes an `@example`. How many examples a test has is said by `tests.examples`.
for profile, random, examples in (("quick", False, 25), ("deep", True, 2_000)):
    settings.register_profile(
        profile,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=not random,
        database=None,
        max_examples=examples,
    )
settings.load_profile("quick")

WORKERS_A_CORE = 2  # a test with processes waits about as long as it computes; each worker costs its own imports


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """What `-n auto` means here.

    Tests by keys and with processes stand side by side in the order of files. By xdist's own way of sharing one worker
    gets hundreds of them in one piece and is still at them when the others have nothing left, so they take from it.
    """
    if config.getoption("dist") == "no":  # nothing else was asked for
        config.option.dist = "worksteal"
    return WORKERS_A_CORE * (os.cpu_count() or 1)


def pytest_collection(session: pytest.Session) -> None:
    """Each worker compiles its share of the tests first, and finds the others' done when it collects all of them.

    What cannot be imported is reported by the collection itself.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    here = Path(__file__).parent
    asked = [Path(session.config.rootpath, argument.partition("::")[0]) for argument in session.config.args]
    files = [path for path in sorted(here.rglob("test_*.py")) if any(path.is_relative_to(each) for each in asked)]
    for path in files[number::workers] if workers > 1 else ():
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(here.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end; no collection of garbage need look at them again and again.

    In between they are as rare as in the program: with Python's own thresholds they are a seventh of a test by keys.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Pytest collects garbage five times at the end, and each looks at all that the tests have left; once does."""
    gc.collect()
    gc.freeze()


FOLDERS = (("CONFIG", ".config"), ("STATE", ".local/state"), ("DATA", ".local/share"), ("CACHE", ".cache"))


def move_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep state, config, cache and clipboard of tests out of the user's own."""
    monkeypatch.setenv("HOME", str(home))
    for name, folder in FOLDERS:
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / folder))


@pytest.fixture(scope="session", autouse=True)
def nobodys_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The home folder of tests of pure functions, in which nothing is ever kept."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as monkeypatch:
        move_home(home, monkeypatch)
        monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")  # whose clipboard is not this machine's
        yield
    kept = [str(path.relative_to(home)) for path in home.rglob("*")]
    assert not kept, f"a test that keeps something needs private_folders: {kept}"


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A new folder for each test; numbered here, since pytest reads all that there are to number one more."""
    place = tmp_path_factory.mktemp("homes")
    return (place / f"{number}" for number in count())


@pytest.fixture
def private_folders(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder for one test; where most tests keep something the folder's conftest.py asks for it."""
    home = next(homes)
    home.mkdir()
    move_home(home, monkeypatch)
    logger = logging.getLogger("acp_tui")  # a program that a test runs in this process sends it to its own file
    monkeypatch.setattr(logger, "propagate", logger.propagate)
    monkeypatch.setattr(logger, "handlers", [*logger.handlers])
    return home


@pytest.fixture
def anyio_backend() -> str:
    """Textual runs on asyncio, and so do we."""
    return "asyncio"
