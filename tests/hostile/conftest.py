from tests.answering import deliberate_keys
from tests.at_work import looked_first, own_home

__all__ = ["deliberate_keys", "looked_first", "own_home"]
