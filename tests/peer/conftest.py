from tests.at_work import own_home, patient_prompts

__all__ = ["own_home", "patient_prompts"]
