"""Gaits from YAML: the repository's files, sections, and errors that name key, value, and what is right."""

import numpy as np
import pytest
import yaml

from helpers.paths import ROOT
from modular_dynamics.exceptions import GaitError
from modular_dynamics.modular import gaits

FOLDER = ROOT / "config" / "gaits"
SINE = {"kind": "sine", "frequency": 0.5, "amplitude": 0.3, "joints": ["a", "b"]}
MAPS = {"kind": "coupled_maps", "period": 0.5, "amplitude": 0.3, "joints": ["a", "b"]}
SNAKE = ("v1/bend", "v2/bend", "v3/bend", "v4/bend")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_files_of_the_repository_are_read(path):
    gait = gaits.load(path)
    assert gaits.load(str(path)) == gait
    assert gaits.load(yaml.safe_load(path.read_text("utf-8"))) == gait
    largest = np.abs(gait.states(np.linspace(0.0, 10.0, 1001)).q).max()
    assert 0.1 < largest <= np.pi / 2  # a Backbone's range


def test_the_snake_is_a_body_wave():
    assert gaits.load(FOLDER / "snake.yaml") == gaits.Sine(gaits.body_wave(SNAKE, 0.6, 0.5, 1.2), ramp=2.0)


def test_the_chaotic_snake_synchronises():
    gait = gaits.load(FOLDER / "chaotic_snake.yaml")
    assert gait.joint_names == SNAKE
    spread = np.ptp(gait.iterates(300), axis=1)
    assert spread[[0, -1]] == pytest.approx([0.5, 0.0], abs=0.5 - 1e-3)
    assert spread[-1] < 1e-9


def test_the_quadruped_trots():
    gait = gaits.load(FOLDER / "quadruped.yaml")
    motion = dict(zip(gait.joint_names, gait.states(np.linspace(20.0, 22.0, 201)).q.T, strict=True))
    for one, other, sign in (("l1", "r3", 1), ("r1", "l3", 1), ("l1", "r1", -1), ("v1", "v2", -1)):
        assert motion[f"{one}/bend"] == pytest.approx(
            sign * motion[f"{other}/bend"], abs=1e-4
        )  # pi is 3.1416


def test_joints_may_differ_from_what_the_whole_gait_says():
    gait = gaits.load({**SINE, "joints": {"a": None, "b": {"amplitude": 0.1, "phase": 1.0}}})
    assert gait.rhythm == gaits.Rhythm(("a", "b"), [0.3, 0.1], 0.5, 0.0, [0.0, 1.0])
    maps = gaits.load({**MAPS, "joints": {"a": {"offset": 0.2}, "b": {}}})
    assert maps == gaits.CoupledMaps(("a", "b"), 0.3, 0.5, offset=[0.2, 0.0])


def test_sections_are_joined():
    gait = gaits.load(
        {
            "kind": "sine",
            "frequency": 1.0,
            "body": {"joints": ["s1", "s2"], "amplitude": 0.1, "lag": 0.5},
            "legs": {"left": [["l"]], "right": [["r"]], "amplitude": 0.4, "lag": 0.0, "frequency": 2.0},
            "joints": {"tail": {"amplitude": 0.2}},
        }
    )
    expected = gaits.body_wave(["s1", "s2"], 0.1, 1.0, 0.5) + gaits.legs([["l"]], [["r"]], 0.4, 2.0, 0.0)
    assert gait.rhythm == expected + gaits.Rhythm(("tail",), 0.2, 1.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], r"the content is \[1\]; a mapping of keys to values is needed"),
        ({**SINE, "kind": "walk"}, "kind is 'walk'; one of sine, coupled_maps is needed"),
        ({**SINE, "speed": 2}, r"speed is an unknown key; known: kind, ramp, body"),
        ({**MAPS, "frequency": 2}, r"frequency is an unknown key"),
        ({**SINE, "joints": {"a": {"amp": 1}}}, r"joints/a/amp is an unknown key; known: amplitude"),
        ({**SINE, "body": {"joints": ["a"], "lag": 1}}, "joints names a twice"),
        ({**SINE, "body": {"joints": ["c"]}}, "body/lag is missing"),
        ({**SINE, "legs": {"lag": 1}}, "legs is empty"),
        (
            {**SINE, "frequency": -1},
            "frequency of joint 'a' is -1.0; a finite number of at least 0",
        ),
        ({**SINE, "amplitude": [0.1, 0.2]}, r"amplitude of joint 'a' is \[0.1, 0.2\]; a finite number"),
        ({"kind": "sine", "joints": {"a": {"amplitude": 1}}}, "joints/a/frequency is missing"),
        ({"kind": "sine", "frequency": 1}, "no section body, legs or joints; at least one is needed"),
        ({"kind": "coupled_maps", "joints": ["a"], "amplitude": 1}, "period is missing"),
        ({**MAPS, "seed": 1, "initial": [0.1, 0.2]}, "seed and initial both give the first states"),
        ({**MAPS, "coupling": "strong"}, "coupling is 'strong'; a finite number"),
    ],
)
def test_what_is_wrong_is_named(content, message, tmp_path):
    if isinstance(content, dict):
        with pytest.raises(GaitError, match=f"^{message}"):
            gaits.load(content)
    path = tmp_path / "gait.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(GaitError, match=rf"^.*gait\.yaml(, line \d+)?: {message}"):
        gaits.load(path)


def test_keys_may_be_merged_from_another_mapping():
    text = (
        "kind: sine\nfrequency: 1\njoints:\n  a: &a {amplitude: 0.1, phase: 1.0}\n  b: {<<: *a, phase: 2.0}\n"
    )
    assert gaits.load(text).rhythm == gaits.Rhythm(("a", "b"), 0.1, 1.0, 0.0, [1.0, 2.0])


def test_files_that_are_no_gaits(tmp_path):
    with pytest.raises(GaitError, match=r"no gait at '.*missing\.yaml'"):
        gaits.load(tmp_path / "missing.yaml")
    with pytest.raises(GaitError, match=r"int 3 is no gait; the path of one, or text of several lines"):
        gaits.load(3)
    with pytest.raises(GaitError, match=r"line 3: the key 'a' stands twice, first in line 2"):
        gaits.load("kind: sine\njoints: {a: {},\n  a: {}}\n")
