"""Small over-constrained mechanisms, described by data alone; rules that are refused, and why."""

import copy

import numpy as np
import pytest
import yaml

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.loops import read_rules, rules_from
from modular_dynamics.loops.reactions import rules as rules_format
from modular_dynamics.loops.reactions.sharing import SharingInFrames

TABLE = """
name: a table on four legs
bodies: [table]
joints:
  a: {holds: table, by: floor, transmits: [Fx, Fy, Fz], at: [0.5, 0.3, 0]}
  b: {holds: table, by: floor, transmits: [Fz], at: [-0.5, 0.3, 0]}
  c: {holds: table, by: floor, transmits: [Fz], at: [-0.5, -0.3, 0]}
  d: {holds: table, by: floor, transmits: [Fx, Fz], at: [0.5, -0.3, 0]}
steps:
  - {body: table, balance: Mx about c, takes: [a.Fz, b.Fz], because: equally soft}
  - {body: table, balance: My about b, takes: d.Fz}
  - {body: table, balance: Fz, takes: c.Fz}
  - {body: table, balance: Mz about a, takes: d.Fx}
  - {body: table, balance: Fx, takes: a.Fx}
  - {body: table, balance: Fy, takes: a.Fy}
"""

DOOR = """
name: a door on three hinges, held by a spring
bodies: [door]
joints:
  top: {holds: door, by: frame, transmits: [Fx, Fy, Fz], at: [0, 0, 1.8]}
  mid: {holds: door, by: frame, transmits: [Fx, Fy, Fz], at: [0, 0, 1.0]}
  low: {holds: door, by: frame, transmits: [Fx, Fy, Fz], at: [0, 0, 0.2]}
  closer: {holds: door, by: frame, transmits: [pull], from: [0, 0.3, 1.9], at: [0.4, 0, 1.9]}
  handle: {holds: door, by: hand, transmits: [Fy], at: [0.8, 0, 1.0]}
steps:
  - {body: door, known: closer.pull}
  - {body: door, balance: Mz about low, takes: handle.Fy}
  - {body: door, zero: mid.Fx, because: it has play across}
  - {body: door, zero: mid.Fy, because: it has play across}
  - {body: door, balance: Fz, takes: {low.Fz: 2, mid.Fz: 1, top.Fz: 1}, because: the lowest is set first}
  - {body: door, balance: My about low, takes: top.Fx}
  - {body: door, balance: Mx about low, takes: top.Fy}
  - {body: door, balance: Fx, takes: low.Fx}
  - {body: door, balance: Fy, takes: low.Fy}
"""


def sharing_of(content):
    """Rules of one body, frame 0, and what holds it, which is the ground, frame 1."""
    rules = rules_from(content)
    frames = {rules.bodies[0]: 0} | {joint.by: 1 for joint in rules.joints.values()}
    ends = [((0, j.at) if j.start is None else (1, j.start), (0, j.at)) for j in rules.joints.values()]
    return SharingInFrames(rules, frames, ends, [0], np.eye(1))


def door(turn=0.0):
    """Poses of door and frame, the required wrench of 200 N at (0.4, 0, 1), the known force of the closer."""
    poses = np.array([np.eye(4), np.eye(4)])
    poses[0, :2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    x = np.zeros(11)
    x[9] = 50.0
    return poses, np.array([[0.0, 0.0, 200.0, 0.0, -200.0 * 0.4, 0.0]]), x


def edited(change):
    """The door's rules, changed in place."""
    content = copy.deepcopy(yaml.safe_load(DOOR))
    change(content)
    return content


def test_a_table_on_four_legs_is_described_by_data_alone():
    sharing = sharing_of(yaml.safe_load(TABLE))
    load = np.array([np.eye(4)] * 2), np.array([[0.0, 0.0, 100.0, 6.0, -10.0, 0.0]]), np.zeros(7)
    shared = sharing(*load).by_name(sharing.rules)
    # 100 N at (0.1, 0.06): a and b bear 60 between them, a third off the middle; d what turns about y
    heights = [shared.components[leg, "Fz"] for leg in "abcd"]
    assert heights == pytest.approx([30.0, 30.0, 10.0, 30.0], abs=1e-12)
    least = sharing.least_norm(*load).by_name(sharing.rules)
    even = [25.0 * (1.0 + x * 0.1 / 0.5 + y * 0.06 / 0.3) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    assert [least.components[leg, "Fz"] for leg in "abcd"] == pytest.approx(even)
    (stress,) = sharing.self_stress(load[0]).T
    heights = stress[[k for k, (_, c) in enumerate(sharing.rules.unknowns) if c == "Fz"]]
    assert heights / heights[0] == pytest.approx([1.0, -1.0, 1.0, -1.0])  # it rocks on its diagonals


def test_a_door_on_three_hinges_is_described_by_data_alone():
    sharing = sharing_of(yaml.safe_load(DOOR))
    shared = sharing(*door()).by_name(sharing.rules)
    assert [shared.components[hinge, "Fz"] for hinge in ("low", "mid", "top")] == pytest.approx([100, 50, 50])
    # the closer pulls with (-40, 30) N at (0.4, 0, 1.9): the handle takes the moment
    assert shared.components["handle", "Fy"] == pytest.approx(-30 * 0.4 / 0.8)
    assert shared.components["top", "Fx"] == pytest.approx((-200 * 0.4 + 40 * 1.7) / 1.6)
    for turn in (0.0, 0.7, -2.0):
        assert np.abs(sharing(*door(turn)).residual).max() < 1e-12
        assert sharing.self_stress(door(turn)[0]).shape == (11, 4)  # Fx, Fy of one hinge, Fz of two


def test_the_matrix_is_the_moment_and_force_of_every_component():
    sharing, turn = sharing_of(yaml.safe_load(DOOR)), 0.7
    rules, E = sharing.rules, sharing.equilibrium_matrix(door(turn)[0])
    x = np.random.default_rng(0).normal(size=len(rules.unknowns))
    force, moment = np.zeros(3), np.zeros(3)  # in the door's axes, by hand
    for (name, component), value in zip(rules.unknowns, x, strict=True):
        at = np.array(rules.joints[name].at)
        if component == "pull":
            c, s = np.cos(turn), np.sin(turn)
            line = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ np.array([0, 0.3, 1.9]) - at
            f = value * line / np.linalg.norm(line)
        else:
            f = value * np.eye(3)["xyz".index(component[1])]
        force, moment = force + f, moment + np.cross(at, f)
    assert np.allclose(E @ x, [*force, *moment], rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("steps"), "steps is missing"),
        (lambda c: c.update(bodies="door"), "bodies is 'door'; a list of names"),
        (lambda c: c.update(bodies=["door", "door"]), "bodies is .*; a list of different names"),
        (lambda c: c.update(joints=None), "joints is None; a mapping"),
        (lambda c: c["joints"].update(top=3), "joints/top is 3; a mapping"),
        (lambda c: c["joints"]["top"].update(at=[0, 0, float("nan")]), "top/at is .*; a list of 3 finite"),
        (lambda c: c["joints"]["top"].update(transmits=["Fq"]), "top/transmits is .*; each once of Fx"),
        (lambda c: c["joints"]["top"].update(holds="gate"), "top/holds is 'gate'; one of door"),
        (lambda c: c["joints"]["closer"].pop("from"), "closer/from is missing: push and pull are along"),
        (lambda c: c["joints"]["top"].update({True: "door"}), "top/True is an unknown key"),
        (lambda c: c["steps"][4].update(takes=7), "steps/4/takes is 7; JOINT.COMPONENT, a list"),
        (lambda c: c["steps"][4].update(takes="low.Mz"), "takes: 'low.Mz' is no component.*similar.*low.Fz"),
        (lambda c: c["steps"][4]["takes"].update({"mid.Fz": "half"}), "weight of 'mid.Fz' is 'half'"),
        (lambda c: c["steps"].append({"body": "door", "rest": ["low"]}), "steps/9/rest is .*; one of top"),
        (lambda c: c["steps"].append({"body": "door", "rest": "closer"}), "a joint without push and pull"),
        (lambda c: c["steps"].pop(), "steps: none gives low.Fy"),
        (lambda c: c["steps"].append(c["steps"][-1]), "steps/9: low.Fy is given by an earlier step"),
        (lambda c: c["steps"][4].update(balance="Fq"), "steps/4/balance is 'Fq'; Fy, Mx or 'Mx about"),
        (lambda c: c["steps"][4].update(body="gate"), "steps/4/body is 'gate'; one of door"),
        (lambda c: c["steps"][4].pop("takes"), "steps/4: one of known, zero, rest, or balance with takes"),
    ],
)
def test_bad_rules_are_refused_by_name(change, message):
    with pytest.raises(DescriptionError, match=message):
        rules_from(edited(change))


def test_a_file_that_is_no_rules_is_refused_by_its_path(tmp_path):
    path = tmp_path / "rules.yaml"
    with pytest.raises(DescriptionError, match=r"no file of rules at '.*rules.yaml'"):
        read_rules(path)
    path.write_text("[1, 2]")
    with pytest.raises(
        DescriptionError, match=r"rules.yaml: the content is \[1, 2\]; a mapping of name, bodies"
    ):
        read_rules(path)


def test_the_example_in_the_description_of_the_format_can_be_loaded():
    example = [line for line in rules_format.__doc__.splitlines() if line.startswith("    ")]
    rules = rules_from(yaml.safe_load("\n".join(example)))
    assert [step.kind for step in rules.steps] == ["known", "zero", "balance", "rest"]


def test_rules_can_be_read_by_people():
    text = str(rules_from(edited(lambda c: c["steps"][5].update(step=3, equations="7-9"))))
    assert "door: balance of Fz gives low.Fz * 2, mid.Fz, top.Fz (the lowest is set first)" in text
    assert "door: 3. eq. 7-9: balance of My about low gives top.Fx" in text
