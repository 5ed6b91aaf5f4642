"""Load case and sharing in one compiled call: the same as one after the other."""

import numpy as np
import pytest
import yaml

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.robots.small_torso import load
from modular_dynamics.loops import ReactionSharing, RobotReactions, rules_from

CONTENT = (ROBOTS / "charmie_torso_rules.yaml").read_text()
RULES = rules_from(yaml.safe_load(CONTENT))


@pytest.fixture(scope="module")
def torso():
    return load(ROBOTS / "charmie_torso.urdf")


def state(torso, seed):
    rng, n = np.random.default_rng(seed), len(torso.independent_joint_names)
    return rng, md.InverseDynamics(torso).solve(*(0.02 * rng.normal(size=(3, n))))


def compare(reactions, shared):
    components = np.array(list(shared.components.values()))
    size = np.abs(components).max()
    for own, other in (
        (reactions.components, components),
        (reactions.wrenches, np.array(list(shared.wrenches.values()))),
        (reactions.points[:, 1] * size, np.array(list(shared.points.values())) * size),
        (reactions.residual, np.array(list(shared.residual.values()))),
    ):
        assert np.allclose(own, other, rtol=0, atol=1e-12 * size)
    assert np.abs(reactions.residual).max() < 1e-12 * size


@pytest.mark.parametrize("seed", range(6))
def test_as_load_case_and_sharing_one_after_the_other(torso, seed):
    rng, dynamics = state(torso, seed)
    sharing, together = ReactionSharing(RULES), RobotReactions(torso, RULES)
    compare(together(dynamics), sharing(together.load_case(dynamics)))
    given = {
        name: (torso.subsystem(name).root_link, 50.0 * rng.normal(size=6))
        for name in together.carried_subsystems
    }
    compare(together(dynamics, given), sharing(together.load_case(dynamics, given)))
    assert np.array_equal(together(dynamics).poses, md.frame_poses(torso.tree, dynamics.coordinates))


def test_points_by_coordinates_and_unequal_shares(torso):
    rules = yaml.safe_load(CONTENT)
    rules["joints"]["act4"] |= {"from": [0.05, 0.02, 0.1], "at": [0.05, 0.02, 0.4]}
    equal = next(step for step in rules["steps"] if step.get("takes") == ["j5.Fx", "act5.Fx"])
    equal["takes"] = {"j5.Fx": 3.0, "act5.Fx": 0.5}
    rules, (_, dynamics) = rules_from(rules), state(torso, 7)
    robot = RobotReactions(torso, rules)
    reactions = robot(dynamics)
    compare(reactions, ReactionSharing(rules)(robot.load_case(dynamics)))
    at = list(rules.joints).index("act4")
    pose = reactions.poses[torso.links.index("body_4")]
    assert reactions.points[at, 1] == pytest.approx(pose[:3, :3] @ [0.05, 0.02, 0.4] + pose[:3, 3], abs=1e-15)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda rules: rules["steps"].insert(0, rules["steps"].pop(2)), "step 1 .*contains s5.pull"),
        (lambda rules: rules["joints"]["act5"].update({"from": "act5_pin"}), "'from' and 'at' coincide"),
        (
            lambda rules: rules["steps"][1].update(balance="Mx about act5"),
            "step 2 .*contains j5.Fy, j5.Fz, which no step before it gives",
        ),
        (
            lambda rules: rules["steps"][4].update(takes={"j5.Fx": 1.0, "act5.Fx": -1.0}),
            "step 5 .*no lever arm in this balance",
        ),
        (lambda rules: rules["joints"]["act5"].update(axes="nowhere"), "'act5': .* has no link 'nowhere'"),
        (
            lambda rules: (
                rules["joints"].update(s6=dict(rules["joints"]["s5"])),
                rules["steps"].append({"body": "body_5", "known": ["s6.pull"]}),
            ),
            "known force of 's6', which is no spring .*; springs are sr4, sl4, s5",
        ),
    ],
)
def test_what_is_wrong_is_named(torso, edit, words):
    content = yaml.safe_load(CONTENT)
    edit(content)
    _, dynamics = state(torso, 0)
    with pytest.raises(md.StateError, match=words):
        RobotReactions(torso, rules_from(content))(dynamics)
