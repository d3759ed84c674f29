from tests.answering import deliberate_keys
from tests.at_work import own_home, patient_prompts

__all__ = ["deliberate_keys", "own_home", "patient_prompts"]
