"""The three who can be to blame: the agent, the user's input, or this program.

Every fault carries a title, a message and a hint, so that one notice can show all three.
"""


class Fault(Exception):
    """Something went wrong that a user is told about; `str()` joins title, message and hint."""

    def __init__(self, title: str, message: str = "", hint: str = "") -> None:
        self.title, self.message, self.hint = title, message, hint
        super().__init__("\n".join(part for part in (title, message, hint) if part))


def reason_of(error: Exception) -> str:
    """Why it failed, in the words of the system if they are known."""
    return getattr(error, "strerror", None) or str(error)


class AgentFault(Fault):
    """The agent broke the protocol, failed, or went away."""


class UserFault(Fault):
    """A request of the user that cannot be done as it was given."""
