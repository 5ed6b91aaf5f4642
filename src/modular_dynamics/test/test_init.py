"""What `import modular_dynamics` has, and what it leaves for later."""

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.processes import run_python

PACKAGES = "loops", "composition", "mjcf", "crosscheck"
TORQUES = f"""
import sys
import numpy as np
import modular_dynamics as md
graph = md.load_urdf({str(ROBOTS / "four_link.urdf")!r})
md.inverse_dynamics(graph, *np.zeros((3, graph.nv)))
print([name for name in {PACKAGES} if f"modular_dynamics.{{name}}" in sys.modules])
"""
EXPORT = f"""
import sys
import modular_dynamics as md
graph = md.load_urdf({str(ROBOTS / "crane.urdf")!r})
graph.export_c(sys.argv[1])
"""


def said_by(*words):
    done = run_python("-c", *words)
    return done.returncode, done.stdout, done.stderr


def test_torques_without_loops_import_nothing_else():
    assert said_by(TORQUES) == (0, "[]\n", "")


def test_every_name_is_found():
    assert [name for name in (*md.__all__, *PACKAGES) if not hasattr(md, name)] == []
    assert {*md.__all__, *PACKAGES} <= {*dir(md)}
    assert not hasattr(md, "nothing")


def test_a_robot_with_loops_is_exported_although_nothing_of_loops_was_imported(tmp_path):
    assert said_by(EXPORT, str(tmp_path / "crane.c")) == (0, "", "")
    assert "inverse_dynamics" in (tmp_path / "crane.h").read_text(encoding="utf-8")
