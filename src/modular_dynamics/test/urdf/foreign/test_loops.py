"""Loops and couplings in the words of other tools: torques by closed form."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.foreign_four_bar import DRIVEN, LOOPS, PASSIVE, four_bar, gravity_torque, pose
from helpers.robots.urdf_text import inertial, joint, robot
from modular_dynamics.urdf import has_loops

ANGLE = 0.9


def torque(graph, angle=ANGLE, turns=(0.0, 0.0, 0.0)):
    """Of the crank at rest; ``turns``: at which angles the joints are zero."""
    rod, rocker = pose(angle)
    guess = np.array([angle, rod - angle, rocker]) - turns
    rest = np.zeros(1)
    return md.inverse_dynamics(graph, guess[:1], rest, rest, guess=guess)


@pytest.mark.parametrize("angle", [0.9, -2.0])
@pytest.mark.parametrize("tool", LOOPS)
@pytest.mark.parametrize(("tags", "more"), [(PASSIVE, ""), ("", DRIVEN)])
def test_a_four_bar_in_the_words_of_each_tool(tool, tags, more, angle):
    text = four_bar(LOOPS[tool] + more, tags)
    graph = md.load_urdf(text, strict=True)
    assert graph.passive_joints == ("b", "c")
    assert torque(graph, angle) == pytest.approx([gravity_torque(angle)], abs=1e-12)
    (loop,) = graph.loop_joints
    assert any(f"read as loop joints: {loop.name}" in note for note in graph.notes)
    assert has_loops(text)


def turned():
    """The angles of the joints' frames with which the four-bar is closed with all joints at zero."""
    rod, rocker = pose(ANGLE)
    return ANGLE, rod - ANGLE, rocker


#: SDF's joints. Their frames are those of the rocker, unless they say otherwise.
SDF = {
    "in the child": "<parent>rod</parent><child>rocker</child><pose>0.4 0 0 0 0 0</pose>"
    "<axis><xyz>0 -1 0</xyz></axis>",
    "scoped names": "<parent>four::rod</parent><child>four::rocker</child><pose>0.4 0 0 0 0 0</pose>"
    "<axis><xyz>0 -1 0</xyz></axis>",
    "a pose in the parent": "<parent>rod</parent><child>rocker</child>"
    '<pose relative_to="rod">0.5 0 0 1.5707963267948966 0 0</pose><axis><xyz>0 0 1</xyz></axis>',
    "an axis of the model": "<parent>rod</parent><child>rocker</child><pose>0.4 0 0 1 0.5 0.2</pose>"
    '<axis><xyz expressed_in="__model__">0 -1 0</xyz></axis>',
    "an axis of the model, before": "<parent>rod</parent><child>rocker</child><pose>0.4 0 0 1 0.5 0.2</pose>"
    "<axis><xyz>0 -1 0</xyz><use_parent_model_frame>true</use_parent_model_frame></axis>",
}


@pytest.mark.parametrize("words", SDF.values(), ids=SDF)
@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_a_four_bar_that_gazebo_closes(words, kind):
    """Gazebo's frames coincide with all joints at zero, so the links are placed accordingly."""
    block = f'<gazebo><joint name="pin" type="{kind}">{words}</joint></gazebo>'
    graph = md.load_urdf(four_bar(block, PASSIVE, turned()), strict=True)
    assert torque(graph, turns=turned()) == pytest.approx([gravity_torque(ANGLE)], abs=1e-12)
    (moved,) = torque(graph, 1.1, turned())
    assert moved == pytest.approx(gravity_torque(1.1), abs=1e-12)


def test_a_joint_of_gazebo_that_ends_at_the_world():
    """The root link stands where the world is; a joint that holds it there closes nothing."""
    held = '<gazebo><joint name="w" type="fixed"><parent>world</parent><child>base</child></joint></gazebo>'
    graph = md.load_urdf(four_bar(held))
    assert (graph.loop_joints, graph.warnings) == ((), ())
    assert not has_loops(four_bar(held))
    crank = '<gazebo><joint name="w" type="fixed"><parent>world</parent><child>crank</child></joint></gazebo>'
    (loop,) = md.load_urdf(four_bar(crank, '<passive joint="a"/>')).loop_joints
    assert (loop.predecessor.link, loop.successor.link, loop.type) == ("base", "crank", "fixed")


LEFT = {
    "of links that only Gazebo has": (
        '<gazebo><link name="bar"><inertial><mass>1</mass></inertial></link></gazebo><gazebo>'
        '<joint name="pin" type="revolute"><parent>bar</parent><child>rod</child></joint></gazebo>',
        ("", "", ""),
        "not read, because they hold links that only <gazebo> has: <joint> 'pin'",
    ),
    "of joints that mimic": (
        '<gazebo><joint name="pin" type="ball"><parent>crank</parent><child>rocker</child></joint></gazebo>',
        ("", "", '<mimic joint="a"/>'),
        "not read, because joints of the loop are coupled by <mimic>, which counts: <joint> 'pin'",
    ),
}


@pytest.mark.parametrize(("words", "of_joints", "note"), LEFT.values(), ids=LEFT)
def test_what_is_left_to_gazebo_is_a_note(words, of_joints, note):
    graph = md.load_urdf(four_bar(words, of_joints=of_joints), strict=True)
    assert not graph.loop_joints
    assert any(one.startswith(note) for one in graph.notes)


@pytest.mark.parametrize(
    "words",
    [
        '<gazebo><joint name="pin" type="revolute"><parent>rod</parent><child>rocker</child>'
        "<pose>0.2 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>",
        '<loop_joint name="pin" type="spherical"><link1 link="rod" xyz="0.5 0 0"/>'
        '<link2 link="rocker" xyz="0.2 0 0"/></loop_joint>',
    ],
)
def test_mimic_joints_that_leave_two_coordinates(words):
    """A parallelogram whose rocker mimics the crank; the pin keeps the rod level: tau = g cos(q) sum(m x)."""
    graph = md.load_urdf(four_bar(words, '<passive joint="b"/>', of_joints=("", "", '<mimic joint="a"/>')))
    rest = np.zeros(1)
    tau = md.inverse_dynamics(graph, [ANGLE], rest, rest, guess=[ANGLE, -ANGLE])
    assert tau == pytest.approx([9.81 * np.cos(ANGLE) * (1.0 * 0.1 + 1.5 * 0.2 + 1.2 * 0.2)], abs=1e-12)


def test_a_joint_of_gazebo_that_the_urdf_has():
    """It says nothing new; with other ends it closes a loop."""
    words = (
        '<gazebo><joint name="b" type="revolute"><parent>crank</parent><child>rod</child></joint></gazebo>'
    )
    assert md.load_urdf(four_bar(words), strict=True).loop_joints == ()
    without_ends = '<gazebo><joint name="b"><axis><xyz>0 1 0</xyz></axis></joint></gazebo>'
    assert md.load_urdf(four_bar(without_ends), strict=True).loop_joints == ()
    other = words.replace("<child>rod", "<child>rocker")
    assert [loop.name for loop in md.load_urdf(four_bar(other, PASSIVE)).loop_joints] == ["b_"]


@pytest.mark.parametrize("kind", ["gearbox", "screw"])
def test_a_joint_of_gazebo_that_couples_is_no_loop(kind):
    words = f'<gazebo><joint name="g" type="{kind}"><parent>crank</parent><child>rod</child></joint></gazebo>'
    (finding,) = md.load_urdf(four_bar(words)).warnings
    assert finding.kind == "coupling of another tool"
    assert f"<joint> 'g' couples joints and is not read: its type is {kind}" in str(finding)
    assert "<gear joint=" in str(finding)


ISAAC, PLUS = LOOPS["Isaac Sim"], LOOPS["URDF+"]
GAZEBO = '<gazebo><joint name="p" type="{}">{}<child>rocker</child>{}</joint></gazebo>'
ROD = "<parent>rod</parent>"
BROKEN = [
    (ISAAC.replace("spherical", "planar"), "its type is planar"),
    (ISAAC.replace(' type="spherical"', ""), "its type is missing"),
    (
        PLUS.replace("predecessor", "first"),
        "it has <successor>; one <predecessor link=...> and one <successor",
    ),
    (
        ISAAC.replace("link1", "first").replace("link2", "second"),
        "it has no ends; one <link1 link=...> and one",
    ),
    (ISAAC.replace("link2", "link1"), "it has 2 <link1>, and one is needed"),
    (ISAAC.replace("<link2", '<parent link="g"/><link2'), "it has <link1>, <link2>, <parent>; one <link1"),
    (
        PLUS.replace("</predecessor>", '<origin xyz="0.2 0 0"/></predecessor>'),
        "it has 2 <origin>, and one is",
    ),
    (PLUS.replace("</loop>", '<axis xyz="1 0 0"/></loop>'), "it has 2 <axis>, and one"),
    (
        PLUS.replace('<predecessor link="rod"', '<predecessor link="rod" rpy="0 0.1 0"'),
        "the pose in 'rod' stands in 2 places, and one is needed",
    ),
    (PLUS.replace("</loop>", '<ratio value="3"/></loop>'), "it has a <ratio>"),
    (PLUS.replace("</loop>", '<parent_origin xyz="1 0 0"/></loop>'), "it has a <parent_origin>"),
    (PLUS.replace("0 -1 0", "0 0 0"), "its axis has no direction"),
    (LOOPS["Drake"].replace("_body_B", "_body_C"), "it lacks <drake:ball_constraint_body_B name=...>"),
    (ISAAC.replace('"rod"', '"rood"'), "'rood' is no link of the URDF"),
    (GAZEBO.format("universal", ROD, ""), "its type is universal"),
    (GAZEBO.format("ball", "", ""), "it lacks its <parent>"),
    (
        GAZEBO.format("ball", "<parent>rood</parent>", ""),
        "its parent is 'rood', which is no link of the URDF",
    ),
    (GAZEBO.format("ball", ROD, "<pose>1 2</pose>"), "its <pose> does not hold 6 finite numbers"),
    (GAZEBO.format("ball", ROD, '<pose xyz="0.4 0 0"/>'), "its <pose> does not hold 6 finite numbers"),
    (
        GAZEBO.format("ball", ROD, "<pose>0 0 0 0 90 0</pose>"),
        "its <pose> 0 0 0 0 90 0 is not six numbers in m",
    ),
    (
        GAZEBO.format("ball", "<parent>rod<pose>1 0 0 0 0 0</pose></parent>", ""),
        "a <pose> stands in its <parent>",
    ),
    (
        GAZEBO.format("ball", ROD, '<pose relative_to="x">0 0 0 0 0 0</pose>'),
        "its frame is 'x', which is no link or joint",
    ),
]


@pytest.mark.parametrize(("words", "why"), BROKEN)
def test_a_loop_that_is_not_read_is_named(words, why):
    with pytest.warns(md.ModelWarning) as caught:
        graph = md.load_urdf(four_bar(words))
    assert not graph.loop_joints
    (finding,) = [one for one in graph.warnings if "of another tool" in one.kind]
    (message,) = [text for one in caught if "closes a loop" in (text := str(one.message))]
    assert message.startswith("line 9: <")
    assert why in message
    assert "; torques are those without it; write <loop_joint>" in message
    assert finding.kind == "loop of another tool"
    with pytest.raises(md.UrdfError, match=r"^strict: .*line 9: "):
        md.load_urdf(four_bar(words), strict=True)


GAZEBO_PIN = (
    '<gazebo><joint name="{}" type="{}"><parent>rod</parent><child>rocker</child><pose>0.4 0 0 0 0 0</pose>'
    "{}</joint></gazebo>"
)


def test_one_pin_that_two_tools_state_is_one_loop_joint():
    """The rocker lies where the rod ends with all joints at zero, as Gazebo closes loops."""
    isaac = LOOPS["Isaac Sim"]
    words = isaac + GAZEBO_PIN.format("again", "ball", "") + LOOPS["Drake"]
    graph = md.load_urdf(four_bar(words, PASSIVE, turned()), strict=True)
    assert [loop.name for loop in graph.loop_joints] == ["pin"]
    (note,) = [one for one in graph.notes if "not read" in one]
    assert note.startswith("not read, because the same loop joint stands before: ")
    assert note.count("<drake:ball_constraint> 'loop_1'") == note.count("<joint> 'again'") == 1
    assert torque(graph, turns=turned()) == pytest.approx([gravity_torque(ANGLE)], abs=1e-12)


@pytest.mark.parametrize(
    "second",
    [
        GAZEBO_PIN.format("q", "revolute", "<axis><xyz>0 1 0</xyz></axis>"),
        LOOPS["Isaac Sim"].replace("0.5 0 0", "0.5 0 0.001").replace('"pin"', '"q"'),
    ],
)
def test_two_joints_of_two_links(second):
    graph = md.load_urdf(four_bar(LOOPS["Isaac Sim"] + second, PASSIVE, turned()))
    assert [loop.name for loop in graph.loop_joints] == ["pin", "q"]


def test_links_that_are_fixed_anyway_close_nothing():
    words = '<loop_joint name="l" type="fixed"><link1 link="rod"/><link2 link="rod"/></loop_joint>'
    graph = md.load_urdf(four_bar(words), strict=True)
    assert (graph.loop_joints, graph.passive_joints) == ((), ())


INERTIA = np.diag([1.0, 1.0, 1.0])
I1, I2, J, RATIO = 0.3, 0.2, 1e-3, 6.0


def geared(couplings, attributes=("", "")):
    """Two links and two rotors about one vertical axis; both rotors on the base. All about z."""
    moments = {"upper": I1, "lower": I2, "r1": J, "r2": J}
    links = ['<link name="base"/>']
    links += [
        f'<link name="{name}">{inertial(1, (0, 0, 0), own * INERTIA)}</link>' for name, own in moments.items()
    ]
    ends = ("q1", "base", "upper"), ("q2", "upper", "lower"), ("q3", "base", "r1"), ("q4", "base", "r2")
    joints = [
        joint(name, "continuous", parent, child, (0, 0, 0), axis=(0, 0, 1)) for name, parent, child in ends
    ]
    for k, attribute in enumerate(attributes, 2):
        joints[k] = joints[k].replace("<joint ", f"<joint {attribute} ")
    return robot("geared", [*links, *joints, *couplings])


def coupling(predecessor, successor, ratio, tag="coupling", more=""):
    return (
        f'<{tag} name="c" {more}><predecessor link="{predecessor}"/><successor link="{successor}"/>'
        f'<ratio value="{ratio}"/></{tag}>'
    )


DEPENDENT = ('independent="false"', 'independent="false"')
COUPLINGS = {
    "couplings": ((coupling("upper", "r1", 6), coupling("lower", "r2", 6)), DEPENDENT),
    "without flags": ((coupling("upper", "r1", 6), coupling("lower", "r2", 6)), ("", "")),
    "the other way round": ((coupling("r1", "upper", 1 / 6), coupling("r2", "lower", 1 / 6)), DEPENDENT),
    "rolling constraints": (
        (
            coupling("upper", "r1", 6, "constraint", 'type="rolling"'),
            coupling("lower", "r2", 6, "constraint", 'type="rolling"'),
        ),
        DEPENDENT,
    ),
    "one by another": ((coupling("upper", "r1", 6), coupling("lower", "r2", 6)), ('independent="no"', "")),
}


@pytest.mark.parametrize(("words", "flags"), COUPLINGS.values(), ids=COUPLINGS)
def test_rotors_that_urdf_plus_couples(words, flags):
    """2 T = I1 v1^2 + I2 (v1 + v2)^2 + J RATIO^2 (v1^2 + (v1 + v2)^2): rotor 2 turns RATIO (q1 + q2)."""
    text = geared(words, flags)
    graph = md.load_urdf(text, strict=True)
    assert graph.independent_joint_names == ("q1", "q2")
    M = np.array([[I1 + I2, I2], [I2, I2]]) + J * RATIO**2 * np.array([[2.0, 1.0], [1.0, 1.0]])
    a = np.array([0.7, -1.3])
    found = md.inverse_dynamics(graph, [0.1, 0.2], [0.4, 0.5], a)
    np.testing.assert_allclose(found, M @ a, atol=1e-13)
    assert has_loops(text)
    assert any("read as gears: q[q3] = 6 q[q1] (line " in note for note in graph.notes)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (coupling("upper", "wheel", 6), "'wheel' is no link"),
        (
            coupling("upper", "r1", 6).replace("successor", "follower"),
            "lacks its <predecessor> or <successor>",
        ),
        (coupling("upper", "upper", 6), "no joint is left that it could determine"),
        (coupling("base", "r1", 6), "no joint is left that it could determine"),
    ],
)
def test_a_coupling_that_is_not_read_is_named(words, why):
    graph = md.load_urdf(geared([words]))
    (finding,) = [one for one in graph.warnings if "of another tool" in one.kind]
    assert finding.kind == "coupling of another tool"
    assert why in str(finding)
    assert "<gear joint=" in str(finding)


# Which joints of loops are passive, where the words of other tools close them.

LOOP = ISAAC
EFFORT = '<limit effort="{}" velocity="1"/>'
INTERFACE = '<joint name="{}"><command_interface name="effort"/></joint>'
DEPENDENT_OF_PASSIVE = ('independent="true"', 'independent="false"', 'independent="False"')
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
    "URDF+": ("", {"attributes": DEPENDENT_OF_PASSIVE}, ("b", "c"), 'independent="false" says so'),
}


@pytest.mark.parametrize(("words", "options", "passive", "reason"), RULES.values(), ids=RULES)
def test_the_rules(words, options, passive, reason):
    graph = md.load_urdf(four_bar(LOOP + words, **options), strict=True)
    assert graph.passive_joints == passive
    note = f"joints of the loops pin are taken as passive: {', '.join(passive)}; {reason}"
    assert any(one.startswith(note) for one in graph.notes)


UNKNOWN = {
    "nothing": {},
    "efforts": {"of_joints": (EFFORT.format(5), EFFORT.format(0), EFFORT.format(0))},
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
