"""Mutants of the screen."""

from tests.mutants.mutant import Mutant

SCREEN: tuple[Mutant, ...] = ()
