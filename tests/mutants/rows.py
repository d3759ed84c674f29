"""All mutants."""

from tests.mutants.of_core import CORE
from tests.mutants.of_files import FILES
from tests.mutants.of_host import HOST
from tests.mutants.of_screen import SCREEN

ROWS = (*CORE, *HOST, *FILES, *SCREEN)
