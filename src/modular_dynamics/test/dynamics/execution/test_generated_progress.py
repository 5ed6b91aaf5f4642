"""What `graph.compile()` says while it works: where stderr is closed, and to what is no function."""

import io
import os
import sys

import pytest

import modular_dynamics as md

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="generated code is called by compiled kernels only"
)


def test_a_closed_stderr_shows_no_progress(load_robot, monkeypatch, tmp_path):
    monkeypatch.setenv("MODULAR_DYNAMICS_CACHE", str(tmp_path))
    monkeypatch.setenv("MODULAR_DYNAMICS_QUIET", "0")
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    assert load_robot("four_link").compile().pieces


def test_progress_is_a_function(load_robot):
    with pytest.raises(md.StateError, match="progress is 3; a function of a line of text"):
        load_robot("four_link").compile(progress=3)
