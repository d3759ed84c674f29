from tests.at_work import looked_first, own_home

__all__ = ["looked_first", "own_home"]
