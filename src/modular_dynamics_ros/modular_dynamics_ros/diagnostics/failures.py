"""Texts about unexpected exceptions and requests: one line of bounded length."""

import os
import traceback

__all__ = ["described", "one_line"]

MOST_CHARACTERS = 300  # largest length of an exception's text
MOST_ANSWERED = 1000  # largest length of a service's answer


def described(error: BaseException) -> str:
    """Return type, text and place of an exception on one line; the place is this project's innermost line."""
    text = " ".join(str(error).split())[:MOST_CHARACTERS]
    places = [
        f"{os.path.basename(frame.f_code.co_filename)}:{line}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if "modular_dynamics" in frame.f_code.co_filename
    ]
    place = f" ({places[-1]})" if places else ""
    return f"{type(error).__name__}: {text}{place}"


def one_line(text: str, most: int = MOST_ANSWERED) -> str:
    """Return a text, which may hold names of a request, as one line for an answer or the log.

    White space becomes blanks, so that no request writes lines of its own into the log; other characters that
    cannot be printed are escaped.
    """
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)
    return line if len(line) <= most else f"{line[:most]}... ({len(line)} characters)"
