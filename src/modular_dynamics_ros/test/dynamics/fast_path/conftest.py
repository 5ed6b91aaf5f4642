"""The time that a test sets."""

import time

import pytest


@pytest.fixture(autouse=True)
def steady(monkeypatch):
    """The steady clock [ns]."""
    clock = [0]
    monkeypatch.setattr(time, "monotonic_ns", lambda: clock[0])
    return clock
