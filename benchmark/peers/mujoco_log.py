"""MuJoCo's warnings on stderr; by itself it writes them into MUJOCO_LOG.TXT in the current folder."""

from __future__ import annotations

import sys

import mujoco

__all__ = ["warn_on_stderr"]


def warn_on_stderr() -> None:
    """Let MuJoCo write no file in this process."""
    mujoco.set_mju_user_warning(lambda text: print(f"MuJoCo: {text}", file=sys.stderr))
