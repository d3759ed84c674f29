import platform
import subprocess
import sys

import pytest

from acp_tui.host.system.processes import return_large_blocks

# A large block is freed first, which raises the size from which blocks go back; below a small one that stays, the
# others would then keep the heap as it is.
FREED = """
import resource

from acp_tui.host.system.processes import return_large_blocks


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


return_large_blocks()
del [bytearray(16 << 20)][0]
before = resident()
blocks = [b"x" * (200 << 10) for _ in range(100)]
kept = [b"y" * 600, blocks.pop()]
del blocks
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_what_was_large_goes_back_to_the_system_though_something_beside_it_stays() -> None:
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 4 << 20


def test_a_python_without_ctypes_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctypes", None)
    return_large_blocks()
