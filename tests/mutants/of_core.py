"""Mutants of wire, protocol, session and headless."""

from tests.mutants.mutant import Mutant

CORE: tuple[Mutant, ...] = ()
