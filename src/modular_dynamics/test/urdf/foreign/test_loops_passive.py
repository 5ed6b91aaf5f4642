"""Which joints of loops are passive, where the words of other tools close them."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRIVEN, LOOPS, PASSIVE, four_bar, gravity_torque, pose

LOOP = LOOPS["Isaac Sim"]
EFFORT = '<limit effort="{}" velocity="1"/>'
INTERFACE = '<joint name="{}"><command_interface name="effort"/></joint>'
DEPENDENT = ('independent="true"', 'independent="false"', 'independent="False"')
RULES = {
    "a transmission": (DRIVEN, {}, ("b", "c"), "no <transmission> or command interface drives them"),
    "ros2_control": (
        '<ros2_control name="c"><joint name="a"><state_interface name="position"/>'
        f"</joint>{INTERFACE.format('c')}"
        "</ros2_control>",
        {},
        ("a", "b"),
        "no <transmission> or command interface drives them",
    ),
    "URDF+": ("", {"attributes": DEPENDENT}, ("b", "c"), 'independent="false" says so'),
    "URDF+ in other words": (
        "",
        {"attributes": ('independent="yes"', 'independent="0"', 'independent="fasle"')},
        ("b", "c"),
        'independent="false" says so',
    ),
    "URDF+ before drives": (
        DRIVEN.replace('"a"', '"c"'),
        {"attributes": DEPENDENT},
        ("b", "c"),
        'independent="false" says so',
    ),
    "efforts": (
        "",
        {"of_joints": (EFFORT.format(5), EFFORT.format(0), EFFORT.format(0))},
        ("b", "c"),
        "their effort limits are zero",
    ),
    "drives before efforts": (
        DRIVEN,
        {"of_joints": ("", EFFORT.format(5), EFFORT.format(5))},
        ("b", "c"),
        "no <transmission> or command interface drives them",
    ),
}


@pytest.mark.parametrize(("words", "options", "passive", "reason"), RULES.values(), ids=RULES)
def test_the_rules(words, options, passive, reason):
    graph = md.load_urdf(four_bar(LOOP + words, **options), strict=True)
    assert graph.passive_joints == passive
    note = f"joints of the loops pin are taken as passive: {', '.join(passive)}; {reason}"
    assert any(one.startswith(note) for one in graph.notes)


UNKNOWN = {
    "nothing": {},
    "all alike": {"of_joints": (EFFORT.format(5),) * 3},
    "one without a limit": {"of_joints": (EFFORT.format(5), EFFORT.format(0), "")},
    "no efforts": {"of_joints": (EFFORT.format(0),) * 3},
    "all drives": {
        "words": "".join(DRIVEN.replace('"a"', f'"{name}"').replace('"t"', f'"{name}"') for name in "abc")
    },
    "all dependent": {"attributes": ('independent="false"',) * 3},
}


@pytest.mark.parametrize("options", UNKNOWN.values(), ids=UNKNOWN)
def test_where_nothing_says_it_torques_are_refused(options):
    text = four_bar(
        LOOP + options.pop("words", "") if "words" in (options := dict(options)) else LOOP, **options
    )
    with pytest.warns(
        md.ModelWarning, match=r"nothing says which joints of the loops pin are passive: a, b, c"
    ):
        graph = md.load_urdf(text)
    assert [finding.kind for finding in graph.warnings] == ["loop without passive joints"]
    with pytest.raises(md.UrdfError, match=r'strict: .*write <passive joint=""/> in <modular_dynamics>'):
        md.load_urdf(text, strict=True)
    rest = [0.0, 0.0, 0.0]
    for q in (rest, [0.9, -0.4, 1.4]):
        with pytest.raises(md.ClosureError, match="declare others <passive>"):
            md.inverse_dynamics(graph, q, rest, rest)


@pytest.mark.parametrize(
    ("tags", "file"),
    [
        (PASSIVE, None),
        ("", {"version": 1, "passive": ["b", "c"]}),
        ("", {"version": 1, "independent": ["a"]}),
        ('<independent><joint name="a"/></independent>', None),
    ],
)
def test_ours_take_precedence(tags, file):
    """Over drives that say otherwise."""
    text = four_bar(LOOP + DRIVEN.replace('"a"', '"c"'), tags)
    graph = md.load_urdf(text, file, strict=True)
    assert graph.independent_joint_names == ("a",)


def test_loops_with_common_joints_belong_together():
    """A second rod between crank and rocker: only the crank is driven."""
    more = (
        '<link name="rod2"><inertial><mass value="1"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        '</inertial></link><joint name="d" type="continuous"><parent link="rocker"/>'
        '<child link="rod2"/></joint>'
        '<loop_joint name="other" type="spherical"><link1 link="rod2"/><link2 link="rod"/></loop_joint>'
    )
    graph = md.load_urdf(four_bar(LOOP + DRIVEN + more))
    assert graph.passive_joints == ("b", "c", "d")


#: Ends of a pin with which rod and rocker make the four-bar a parallelogram of 0.2 and 0.5 m.
PARALLELOGRAM = LOOP.replace('link="rocker" xyz="0.4', 'link="rocker" xyz="0.2')
TOGETHER = (
    '<coupling name="k"><predecessor link="crank"/><successor link="rocker"/><ratio value="1"/></coupling>'
)


def test_a_joint_that_a_coupling_determines_drives_no_loop():
    """Crank and rocker turn together, and the rod not: without drives nothing says what is passive.

    By the heights of the centres: 1.0 0.1, 1.5 0.2 and 1.2 0.2, each times g cos(angle).
    """
    with pytest.warns(md.ModelWarning, match="which joints of the loops pin are passive: a, b;"):
        graph = md.load_urdf(four_bar(PARALLELOGRAM + TOGETHER))
    assert graph.passive_joints == ()
    graph = md.load_urdf(four_bar(PARALLELOGRAM + TOGETHER + DRIVEN), strict=True)
    assert (graph.passive_joints, graph.independent_joint_names) == (("b",), ("a",))
    for angle in (0.7, -2.0):
        rest, guess = np.zeros(1), np.array([angle, -angle, angle])
        tau = md.inverse_dynamics(graph, guess[:1], rest, rest, guess=guess)
        assert tau == pytest.approx([9.81 * 0.64 * np.cos(angle)], abs=1e-12)


def test_a_loop_that_a_coupling_moves_from_outside():
    """A rotor turns the crank by q[a] = 0.25 q[m]: its torque is a quarter of the crank's."""
    rotor = (
        '<link name="rotor"/><joint name="m" type="continuous"><parent link="base"/><child link="rotor"/>'
        '<axis xyz="0 -1 0"/></joint><coupling name="k"><predecessor link="rotor"/><successor link="crank"/>'
        '<ratio value="0.25"/></coupling>'
    )
    for words in (rotor, rotor + DRIVEN.replace('"a"', '"m"')):
        graph = md.load_urdf(four_bar(LOOP + words))
        assert (graph.passive_joints, graph.independent_joint_names) == (("b", "c"), ("m",))
        for angle in (0.9, -2.0):
            rod, rocker = pose(angle)
            q = dict(zip("abcm", (angle, rod - angle, rocker, 4.0 * angle), strict=True))
            guess, rest = [q[name] for name in graph.joint_names], np.zeros(1)
            tau = md.inverse_dynamics(graph, [q["m"]], rest, rest, guess=guess)
            assert tau == pytest.approx([0.25 * gravity_torque(angle)], abs=1e-12)
