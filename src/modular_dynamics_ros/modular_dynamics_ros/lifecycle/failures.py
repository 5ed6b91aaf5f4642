"""What is said of an exception that nobody expected."""

import os
import traceback

__all__ = ["described"]

MOST_CHARACTERS = 300  # of an exception's text


def described(error: BaseException) -> str:
    """Type, text and place of an exception on one line; the place is the innermost line of this project."""
    text = " ".join(str(error).split())[:MOST_CHARACTERS]
    places = [
        f"{os.path.basename(frame.f_code.co_filename)}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if "modular_dynamics" in frame.f_code.co_filename
    ]
    place = f" ({places[-1]})" if places else ""
    return f"{type(error).__name__}: {text}{place}"
