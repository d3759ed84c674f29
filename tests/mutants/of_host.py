"""Mutants of the host."""

from tests.mutants.mutant import Mutant

HOST: tuple[Mutant, ...] = ()
