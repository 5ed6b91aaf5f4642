"""Small over-constrained mechanisms, described by data alone."""

import numpy as np
import pytest
import yaml

from helpers.robots.small_rules import DOOR, TABLE, door, edited
from modular_dynamics.closure.reactions.free_bodies import FreeBodyCuts, LoadCase
from modular_dynamics.closure.reactions.sharing import ReactionSharing
from modular_dynamics.closure.reactions.sharing_rules import rules_from
from modular_dynamics.exceptions import StateError


def test_a_table_on_four_legs_is_described_by_data_alone():
    sharing = ReactionSharing(rules_from(yaml.safe_load(TABLE)))
    place = {"table": np.eye(3)}, {"table": np.zeros(3)}
    situation = LoadCase(*place, {"table": [0.0, 0.0, 100.0, 6.0, -10.0, 0.0]})
    found = sharing(situation)
    # 100 N at (0.1, 0.06): a and b bear 60 between them, a third off the middle; d what turns about y
    heights = [found.components[leg, "Fz"] for leg in "abcd"]
    assert heights == pytest.approx([30.0, 30.0, 10.0, 30.0], abs=1e-12)
    least = sharing.least_norm(situation)
    even = [25.0 * (1.0 + x * 0.1 / 0.5 + y * 0.06 / 0.3) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    assert [least.components[leg, "Fz"] for leg in "abcd"] == pytest.approx(even)
    (stress,) = sharing.self_stress(situation).T
    heights = stress[[k for k, (_, c) in enumerate(sharing.rules.unknowns) if c == "Fz"]]
    assert heights / heights[0] == pytest.approx([1.0, -1.0, 1.0, -1.0])  # it rocks on its diagonals


def test_a_door_on_three_hinges_is_described_by_data_alone():
    sharing = ReactionSharing(rules_from(yaml.safe_load(DOOR)))
    found = sharing(door())
    assert [found.components[hinge, "Fz"] for hinge in ("low", "mid", "top")] == pytest.approx([100, 50, 50])
    # the closer pulls with (-40, 30) N at (0.4, 0, 1.9): the handle bears what it turns by
    assert found.components["handle", "Fy"] == pytest.approx(-30 * 0.4 / 0.8)
    assert found.components["top", "Fx"] == pytest.approx((-200 * 0.4 + 40 * 1.7) / 1.6)
    for turn in (0.0, 0.7, -2.0):
        assert max(np.abs(left).max() for left in sharing(door(turn)).residual.values()) < 1e-12
        assert sharing.self_stress(door(turn)).shape == (11, 4)  # Fx, Fy of one hinge, Fz of two


def test_a_step_that_comes_too_early_says_what_it_needs():
    content = edited(lambda c: c["steps"].insert(0, c["steps"].pop()))
    with pytest.raises(
        StateError, match=r"step 1 .*contains top.Fy, mid.Fy, closer.pull, handle.Fy, which no step"
    ):
        ReactionSharing(rules_from(content))(door())


def test_a_balance_without_a_lever_is_a_dead_point():
    content = edited(
        lambda c: c.update(steps=[step for step in c["steps"] if "zero" in step or "known" in step])
    )
    content["steps"].append({"body": "door", "balance": "Fz", "takes": ["top.Fz", "mid.Fz", "low.Fz"]})
    content["steps"].append({"body": "door", "balance": "My", "takes": "low.Fx"})
    content["joints"]["top"]["bears"] = ["Fz"]
    content["steps"] += [
        {"body": "door", "balance": "Mz about low", "takes": "handle.Fy"},
        {"body": "door", "balance": "Fy", "takes": "low.Fy"},
    ]
    with pytest.raises(StateError, match=r"step 5 .*no lever arm in this balance"):
        ReactionSharing(rules_from(content))(door())


def test_what_the_situation_lacks_is_named():
    sharing, whole = ReactionSharing(rules_from(yaml.safe_load(DOOR))), door()
    with pytest.raises(StateError, match="'closer' is missing in the load case's known forces"):
        sharing(LoadCase(whole.rotations, whole.origins, whole.demands))
    with pytest.raises(StateError, match="'frame' is missing in the load case's origins"):
        sharing(LoadCase(whole.rotations, {"door": np.zeros(3)}, whole.demands, whole.known))
    with pytest.raises(StateError, match="demands of 'door' have shape"):
        sharing(LoadCase(whole.rotations, whole.origins, {"door": np.zeros(3)}, whole.known))


def test_a_line_without_length_is_refused():
    content = yaml.safe_load(DOOR)
    content["joints"]["closer"]["from"] = content["joints"]["closer"]["at"]
    with pytest.raises(StateError, match="joint 'closer': 'from' and 'at' coincide"):
        FreeBodyCuts(rules_from(content))(door())


def test_the_matrix_is_the_moment_and_force_of_every_component():
    rules, turn = rules_from(yaml.safe_load(DOOR)), 0.7
    free = FreeBodyCuts(rules)(door(turn))
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
    assert np.allclose(free.matrix @ x, [*force, *moment], rtol=0, atol=1e-14)
