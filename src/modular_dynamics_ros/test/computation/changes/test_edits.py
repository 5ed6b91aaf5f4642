"""Lists of changes: what requests add and take, and the graphs that they make."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.rebuilt import assert_same_to_the_bit
from modular_dynamics.exceptions import UnknownNameError
from modular_dynamics_ros.computation.changes import edits
from modular_dynamics_ros.computation.changes.edits import applied, attached, locked
from modular_dynamics_ros.computation.changes.kinds import Attachment, Lock, Payload
from modular_dynamics_ros.exceptions import NumbersError, RobotError, UnknownError

INERTIA = (0.01, 0.001, 0.0, 0.02, 0.0, 0.015)
LOAD = Payload.of("right_branch", 2.0, (0.1, 0.0, 0.05), INERTIA)
HAND, TURN = (Payload(link, 1.0, (0.0,) * 3, (0.0,) * 6) for link in ("hand", "turn"))
NONE = Payload.of("right_branch", 0.0, (0.0, 0.0, 0.0), (0.0,) * 6)


@pytest.fixture
def gripper(gripper_urdf):
    return Attachment.of("hand", gripper_urdf, "left_branch", (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0), "g/")


def torques(graph):
    q, v, a = np.random.default_rng(3).uniform(-1.0, 1.0, (3, graph.nv))
    return md.inverse_dynamics(graph, q, v, a).tolist()


def same(described, changes, expected):
    graph = applied(described, changes).graph
    assert_same_to_the_bit(graph, expected)
    assert torques(graph) == torques(expected)


def test_changes_are_those_of_the_library_in_order(described, gripper, gripper_urdf):
    changes = edits.attached(described, (), gripper)
    changes = edits.with_payload(described, changes, Payload.of("g/jaw", 0.5, (0.0, 0.0, 0.1), (0.0,) * 6))
    changes = edits.locked(described, changes, ["turn"], {"turn": 0.3})
    x = np.eye(4)
    x[2, 3] = 0.1
    expected = described.attach(md.load_urdf(gripper_urdf), "left_branch", x, prefix="g/")
    expected = expected.with_payload("g/jaw", mass=0.5, com=(0.0, 0.0, 0.1)).lock({"turn": 0.3})
    same(described, changes, expected)


def test_what_is_taken_back_leaves_the_robot_exactly_as_it_was(described, gripper):
    changes = edits.with_payload(described, (), LOAD)
    changes = edits.attached(described, changes, gripper)
    changes = edits.locked(described, changes, ["turn", "g/finger"], {"turn": 0.3, "g/finger": 0.01})
    changes = edits.with_payload(described, changes, Payload.of("g/palm", 0.5, (0, 0, 0.1), (0.0,) * 6))
    changes = edits.unlocked(described, changes, ["turn"])
    # with the gripper goes what concerns it alone
    changes = edits.detached(described, changes, "hand")
    assert changes == (LOAD,)
    same(
        described, changes, described.with_payload(LOAD.link, mass=2.0, com=LOAD.com, inertia=matrix(INERTIA))
    )
    changes = edits.with_payload(described, changes, NONE)
    assert changes == ()
    assert applied(described, changes).graph is described


def matrix(moments):
    xx, xy, xz, yy, yz, zz = moments
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_another_load_replaces_the_last_one(described):
    changes = edits.with_payload(described, (), LOAD)
    heavier = Payload.of("right_branch", 3.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    assert edits.with_payload(described, changes, heavier) == (heavier,)


def test_a_locked_joint_moves_to_another_position(described):
    changes = edits.locked(described, (), ["turn", "bend"], {"turn": 0.3, "bend": 0.1})
    changes = edits.locked(described, changes, ["bend", "left"], {"bend": -0.2, "left": 0.5})
    assert changes == (Lock({"turn": 0.3, "bend": -0.2}), Lock({"left": 0.5}))
    assert edits.unlocked(described, changes, ["turn", "bend"]) == (Lock({"left": 0.5}),)


def test_limits_do_not_say_where_a_joint_was_measured(described):
    assert edits.locked(described, (), ["bend"], {"bend": 1.6}, measured=True) == (Lock({"bend": 1.6}),)
    for at in (1.5, -1.5 - 1e-12):
        assert edits.locked(described, (), ["bend"], {"bend": at}) == (Lock({"bend": at}),)


@pytest.mark.parametrize(
    ("edit", "error", "words"),
    [
        (lambda g, c: edits.with_payload(g, c, HAND), UnknownNameError, "hand"),
        (lambda g, c: edits.with_payload(g, c, TURN), UnknownNameError, "turn"),
        (
            lambda g, c: edits.with_payload(g, c, Payload("right_branch", 0.0, (0.1, 0, 0), (0,) * 6)),
            NumbersError,
            "has no mass, which removes it",
        ),
        (lambda g, c: edits.detached(g, c, "hand"), UnknownError, "by the name 'hand'; attached are none"),
        (lambda g, c: edits.locked(g, c, [], {}), NumbersError, "joint_names is empty"),
        (lambda g, c: edits.locked(g, c, ["turn"], {}), NumbersError, "no position of 'turn' was measured"),
        (
            lambda g, c: edits.locked(g, c, ["wrist"], {}),
            UnknownError,
            "no joint 'wrist' .* its joints are 'turn', 'bend', 'left', 'right'",
        ),
        (lambda g, c: edits.locked(g, c, ["turn", "turn"], {"turn": 1.0}), NumbersError, "more than once"),
        (
            lambda g, c: edits.locked(g, c, ["turn"], {"turn": np.nan}),
            NumbersError,
            "finite numbers are needed",
        ),
        (
            lambda g, c: edits.locked(g, c, ["turn"], {"turn": 1e10}),
            NumbersError,
            "the position of 'turn': 1e\\+10; sizes of at most 1e\\+09",
        ),
        (
            lambda g, c: edits.locked(g, c, ["turn", "bend"], {"turn": 90.0, "bend": 90.0}),
            NumbersError,
            "the position of 'bend' is 90, beyond its limits -1.5 to 1.5",
        ),
        (
            lambda g, c: edits.locked(g, (Lock({"bend": 0.1}),), ["bend"], {"bend": -1.6}),
            NumbersError,
            "the position of 'bend' is -1.6, beyond its limits",
        ),
        (lambda g, c: edits.unlocked(g, c, ["turn"]), UnknownError, "'turn' is not locked; locked are none"),
    ],
)
def test_refusals_name_what_is_wrong_and_what_is_there(described, edit, error, words):
    with pytest.raises(error, match=words):
        edit(described, ())


def test_names_of_what_is_attached_are_taken_once(described, gripper, gripper_urdf):
    changes = edits.attached(described, (), gripper)
    other = Attachment.of("hand", gripper_urdf, "base", prefix="h/")
    with pytest.raises(RobotError, match="the name 'hand' is in use"):
        edits.attached(described, changes, other)
    with pytest.raises(RobotError, match="needs a name"):
        edits.attached(described, (), Attachment.of("", gripper_urdf, "base"))


def test_of_another_description_each_change_stays_that_fits(described, four_link, gripper):
    changes = (Payload("lower_stem", 1.0, (0, 0, 0), (0,) * 6), LOAD, Lock({"right": 0.1}), gripper)
    without = md.load_urdf(four_link).without("right_branch")
    result = applied(without, changes, drop=True)
    assert result.changes == (changes[0], gripper)
    assert [text.partition(":")[0] for text in result.dropped] == [
        "payload of 2 kg on 'right_branch'",
        "locked",
    ]
    assert_same_to_the_bit(result.graph, applied(without, result.changes).graph)


def test_warnings_of_the_library_are_told(described):
    (warning,) = applied(described, (Lock({"bend": 50.0}),)).warnings
    assert "'bend' is locked at 50, beyond its limits" in warning


def load(xx, yy, zz, link="left_branch"):
    return Payload.of(link, 1.0, (0.0,) * 3, (xx, 0.0, 0.0, yy, 0.0, zz))


GOOD, BAD = load(0.1, 0.2, 0.25), load(0.1, 0.1, 1.0)


def test_inertias_that_no_body_has_are_refused_if_strict_and_else_warnings(described):
    words = r"the payload on link 'left_branch' breaks .* \(principal moments 0.1, 0.1, 1 kg m\^2"
    with pytest.raises(NumbersError, match=f"^strict: the inertia of {words}"):
        applied(described, [LOAD, BAD], strict=True)
    (warning,) = applied(described, [LOAD, BAD]).warnings
    assert "breaks the triangle inequality" in warning
    strict, lenient = (applied(described, [LOAD, BAD], strict=one, drop=True) for one in (True, False))
    assert strict.changes == (LOAD,)
    (dropped,) = strict.dropped
    assert dropped.startswith(f"{BAD}: strict: the inertia of")
    assert (lenient.changes, lenient.dropped, lenient.warnings) == ((LOAD, BAD), (), (warning,))
    assert (strict.graph.warnings, strict.warnings) == (described.warnings, ())


def test_rounding_to_six_digits_is_no_defect_as_in_descriptions(described):
    plate = load(0.333333, 0.333333, 0.666667)
    assert applied(described, [plate], strict=True).changes == (plate,)


def test_all_else_is_as_without(described, gripper_urdf):
    """A joint is locked where it was measured, also beyond its limits."""
    changes = (
        GOOD,
        Attachment.of("hand", gripper_urdf, "base", prefix="g/", strict=True),
        Lock({"bend": 50.0}),
    )
    strict, lenient = applied(described, changes, strict=True), applied(described, changes)
    assert strict.changes == applied(described, changes, strict=True, drop=True).changes == changes
    assert strict.warnings == lenient.warnings != ()
    assert_same_to_the_bit(strict.graph, lenient.graph)


def test_names_of_locked_subsystems_are_taken(described, gripper_urdf):
    tag = "<modular_dynamics version='1'><subsystem name='left_branch'><joint name='finger'/></subsystem>"
    urdf = gripper_urdf.replace("</robot>", f"{tag}</modular_dynamics></robot>")
    changes = locked(described, (), ["left"], {"left": 0.1})
    with pytest.raises(
        RobotError, match="'left_branch', as 'four_link' has one with locked joints; choose a"
    ):
        attached(described, changes, Attachment.of("tool", urdf, "right_branch"))
    changes = attached(described, changes, Attachment.of("tool", urdf, "right_branch", prefix="t/"))
    assert applied(described, changes).graph.joint_names == ("turn", "bend", "right", "t/finger")
