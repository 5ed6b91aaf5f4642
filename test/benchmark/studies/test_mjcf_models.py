"""The table of MJCF files."""

import sys

import numpy as np
import pytest

from benchmark.studies.mjcf_models import Row, compared, compiled, main
from helpers.robots.mjcf_text import four_bar, two_arms

MESH = """<mujoco><asset><mesh name="m" file="missing.obj"/></asset>
  <worldbody><body name="b"><joint name="j"/>{}<geom type="mesh" mesh="m"/></body></worldbody>
  <sensor><jointpos joint="j"/></sensor></mujoco>"""
INERTIAL = '<inertial pos="0.1 0 0" mass="2" diaginertia="1 1 1"/>'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of files, on the command line."""
    files = {
        "arms": two_arms(),
        "loop": four_bar(),
        "refused": two_arms(joints=('stiffness="1 2"', "")),
        "mesh": MESH.format(INERTIAL),
        "no inertia": MESH.format(""),
        "broken": "<mujoco><worldbody><bodi/></worldbody></mujoco>",
        "still": "<mujoco/>",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.xml").write_text(text)
    monkeypatch.setattr(sys, "argv", ["mjcf_models", str(tmp_path)])
    return tmp_path


def test_every_file_is_compared_refused_or_counted(folder, capsys):
    with pytest.raises(SystemExit) as end:
        main()
    printed = capsys.readouterr().out
    assert end.value.code == 0
    assert "refused.xml: joint 'a' has stiffness of higher order" in printed
    assert "5 models: 4 trees agree to 1e-10, 4 of them with loops and gears; 1 refused" in printed
    assert "1 files left out: nothing moves" in printed
    assert "1 files left out: MuJoCo does not compile it: XML Error: Schema violation" in printed


def test_a_difference_ends_it_with_an_error():
    assert not Row("x", tree=1e-9).agrees
    assert not Row("x", tree=1e-15, closed=1e-9).agrees
    assert Row("x", tree=1e-15, closed=1e-15).agrees


@pytest.mark.parametrize(("file", "mass"), [("mesh", 2.0), ("no inertia", 4.0 / 3.0 * np.pi * 0.05**3 * 1e3)])
def test_meshes_that_cannot_be_read_are_spheres(folder, file, mass):
    model = compiled(folder / f"{file}.xml")
    np.testing.assert_allclose(model.body_mass[1], mass)
    row = compared(file, model)
    assert (row.joints, row.reason) == (1, "")
    assert row.tree < 1e-12
