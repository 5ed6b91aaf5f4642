"""Why a request is refused, by the codes of the services."""

import modular_dynamics as md
from modular_dynamics_ros.exceptions import BadMessage

__all__ = ["QueryError", "code_of"]

#: Causes of a BadMessage about a name; all others are about numbers.
NAMES = {"unknown frame", "no frame"}
REFUSALS = {"inside a black box", "pose not known", "load not known"}


class QueryError(ValueError):
    """A request that cannot be answered; `code` is the name of a constant of the services."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def code_of(error: Exception) -> str:
    """Return the name of the constant for an error; UNEXPECTED for errors no request should cause."""
    if isinstance(error, QueryError):
        return error.code
    if isinstance(error, BadMessage):
        return (
            "UNKNOWN_NAME" if error.cause in NAMES else "REFUSED" if error.cause in REFUSALS else "BAD_STATE"
        )
    if isinstance(error, md.UnknownNameError):
        return "UNKNOWN_NAME"
    if isinstance(error, (md.StateError, md.ClosureError)):
        return "BAD_STATE"
    return "REFUSED" if isinstance(error, md.ModularDynamicsError) else "UNEXPECTED"
