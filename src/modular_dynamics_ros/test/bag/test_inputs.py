"""Recorded wrenches and odometry against the library with the same numbers."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.recorded_bags import START, STORE, header, joint_state, odometry, wrench

MS = 1_000_000
FORCE = [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]
Q = [0.3, -0.5, 0.7, 0.2]


def states(names, times):
    return [
        ("/joint_states", START + t * MS, joint_state(START + t * MS, names, Q, np.zeros(4))) for t in times
    ]


def trajectory(stamp, names, times, acceleration=0.0):
    """Of the same acceleration of all joints at these times [s]."""
    types, kind = STORE.types, "trajectory_msgs/msg/JointTrajectory"
    none, accelerations = np.zeros(0), np.full(len(names), acceleration)
    points = [
        types["trajectory_msgs/msg/JointTrajectoryPoint"](
            none, none, accelerations, none, types["builtin_interfaces/msg/Duration"](int(time), 0)
        )
        for time in times
    ]
    return kind, types[kind](header(stamp), list(names), points)


def fixed_frame(child, parent):
    """/tf_static: two frames in one place."""
    types, kind = STORE.types, "tf2_msgs/msg/TFMessage"
    transform = types["geometry_msgs/msg/Transform"](
        types["geometry_msgs/msg/Vector3"](0.0, 0.0, 0.0),
        types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0),
    )
    stamped = types["geometry_msgs/msg/TransformStamped"](header(START, parent), child, transform)
    return kind, types[kind]([stamped])


def torques(row, names):
    return [float(row[f"tau_{name}"]) for name in names]


def expected(four_link, **more):
    return md.inverse_dynamics(md.load_urdf(four_link), np.array(Q), np.zeros(4), np.zeros(4), **more)


@pytest.mark.parametrize("topic", ["/dynamics_node/external_wrench", "/elsewhere/external_wrench"])
def test_an_external_wrench_counts_until_it_is_old(bag, names, four_link, topic):
    link = md.load_urdf(four_link).joints[-1].child_link
    push = (topic, START + 5 * MS, wrench(START + 5 * MS, link, FORCE))
    node = topic.rpartition("/")[0]
    found = bag([*states(names, [0]), push, *states(names, [10, 150, 260])], "--node", node)
    free, pushed = expected(four_link), expected(four_link, external_wrenches={link: np.array(FORCE)})
    assert np.abs(free - pushed).max() > 0.1
    for row, tau in zip(found.rows, [free, pushed, pushed, free], strict=True):
        np.testing.assert_allclose(torques(row, names), tau, rtol=0.0, atol=1e-12)


def test_a_wrench_that_was_old_when_it_came_does_not_count(bag, names, four_link):
    link = md.load_urdf(four_link).joints[-1].child_link
    push = ("/dynamics_node/external_wrench", START, wrench(START - 201 * MS, link, FORCE))
    found = bag([push, *states(names, [1])])
    np.testing.assert_allclose(torques(found.rows[0], names), expected(four_link), rtol=0.0, atol=1e-12)
    assert "0.2 s (stale_after) behind the time of recording: a larger --stale-after accepts it" in found.err
    assert "synchronise" not in found.err


@pytest.mark.parametrize("topic", ["external_wrench", "black_box/right_branch/wrench"])
def test_an_older_wrench_does_not_replace_one_that_is_valid(bag, names, four_link, boxed_branch, topic):
    """Publishers of one source may be recorded in any order."""
    link = md.load_urdf(four_link, boxed_branch).subsystem("right_branch").connection.link
    options = ("--partition", boxed_branch) if "box" in topic else ()
    pushes = [
        (
            f"/dynamics_node/{topic}",
            START + came * MS,
            wrench(START + stamp * MS, link, [force, 0, 0, 0, 0, 0]),
        )
        for came, stamp, force in ((1, 1, 1.0), (2, 3, 2.0), (3, 2, 9.0))
    ]
    found = bag([*pushes, *states(names, [4])], *options)
    alone = bag([pushes[1], *states(names, [4])], *options)
    assert torques(found.rows[0], names[:3]) == torques(alone.rows[0], names[:3])
    assert "its stamp is 0.001 s older than that of the last, which is still valid" in found.err
    assert (found.code, sum(map(len, found.report["refused"].values()))) == (0, 1)  # usual, as overtaking is


def test_frames_of_tf_count_from_the_beginning(bag, names, four_link):
    """A recorder may hear them after the first wrench; a node has them when it begins."""
    link = md.load_urdf(four_link).joints[-1].child_link
    push = ("/dynamics_node/external_wrench", START, wrench(START, "sensor", FORCE))
    late = ("/tf_static", START + 20 * MS, fixed_frame("sensor", link))
    found = bag([push, *states(names, [0, 10]), late])
    assert (found.code, found.report["refused"]) == (0, {})
    pushed = expected(four_link, external_wrenches={link: np.array(FORCE)})
    for row in found.rows:
        np.testing.assert_allclose(torques(row, names), pushed, rtol=0.0, atol=1e-12)


def test_a_wrench_in_an_unknown_frame_is_refused_by_name(bag, names):
    push = ("/dynamics_node/external_wrench", START, wrench(START, "nowhere", FORCE))
    found = bag([push, *states(names, [0])])
    assert found.report["answered"] == 1
    assert "no link 'nowhere'" in found.err
    quiet = bag([push, *states(names, [0])], "--quiet")
    assert (quiet.err, quiet.code) == ("", 1)
    assert quiet.report["refused"] == {"external wrench": {"unknown frame": 1}}


def test_a_reference_that_is_refused_leaves_accelerations_of_zero_which_are_counted(bag, names):
    reference = ("/reference", START, trajectory(START, names, [1.0, 1.0]))  # twice the same time
    found = bag([reference, *states(names, [0, 10])], "--acceleration-source", "reference")
    assert (found.code, found.report["answered"]) == (1, 2)
    assert list(found.report["refused"]) == ["reference"]
    assert found.report["answered_without_reference"] == 2
    assert found.report["acceleration_source"] == "reference"


@pytest.mark.parametrize(
    ("topic", "options"),
    [
        ("/reference", ()),
        ("/planner/reference", ("--reference", "/planner/reference")),
        ("/right/reference", ("--node", "/right/dynamics_node")),
    ],
)
def test_a_reference_is_in_the_namespace_of_the_node_wherever_joint_states_are(
    bag, names, four_link, topic, options
):
    reference = (topic, START, trajectory(START, names, [0.0, 1.0], acceleration=2.0))
    moved = [("/arm/joint_states", *rest) for _, *rest in states(names, [10])]
    options = ("--joint-states", "/arm/joint_states", "--acceleration-source", "reference", *options)
    (row,) = bag([reference, *moved], *options).rows
    accelerated = md.inverse_dynamics(md.load_urdf(four_link), np.array(Q), np.zeros(4), np.full(4, 2.0))
    np.testing.assert_allclose(torques(row, names), accelerated, rtol=0.0, atol=1e-12)


def test_recorded_topics_of_the_type_are_named_where_the_node_s_is_not_there(bag, names):
    reference = ("/planner/reference", START, trajectory(START, names, [0.0, 1.0]))
    found = bag([reference, *states(names, [10])], "--acceleration-source", "reference")
    assert "the bag has no '/reference', but '/planner/reference': give --reference TOPIC" in found.err
    assert found.report["answered_without_reference"] == 1


@pytest.mark.parametrize(
    "recorded",
    ["/left/dynamics_node/external_wrench", "/left/dynamics_node/black_box/right_branch/wrench"],
)
def test_wrenches_below_another_node_s_name_are_named_with_the_option_that_helps(
    bag, names, four_link, recorded
):
    link = md.load_urdf(four_link).joints[-1].child_link
    messages = [
        (recorded, START, wrench(START, link, FORCE)),
        ("/right/wheel/external_wrench", START, wrench(START, link, FORCE)),
        ("/left/dynamics_node/connections/stem/wrench", START, wrench(START, link, FORCE)),  # no input
        *states(names, [1]),
    ]
    found = bag(messages)
    assert (found.code, found.report["refused"]) == (0, {})
    assert (
        f"warning: the bag has no wrenches for '/dynamics_node', but '{recorded}', "
        "'/right/wheel/external_wrench', which do not count: give --node /left/dynamics_node "
        "or --node /right/wheel\n" in found.err
    )
    assert "wrenches" not in bag(messages, "--node", "left/dynamics_node").err
    outputs_only = bag(messages[2:])
    assert "wrenches" not in outputs_only.err


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (("--reference", "/a"), 2, "--reference /a is not read without --acceleration-source reference"),
        (("--odometry", "/a"), 2, "--odometry /a is not read without --floating-base"),
        (("--reference", "a", "--acceleration-source", "reference"), 2, "'/a'"),
    ],
)
def test_a_topic_that_is_named_in_vain_is_refused(bag, names, options, code, text):
    found = bag(states(names, [0]), *options)
    assert (found.code, found.report) == (code, {})
    assert text in found.err


def test_without_the_wrench_of_a_black_box_nothing_is_answered_and_with_it_all_is(
    bag, names, four_link, boxed_branch
):
    options = ("--partition", boxed_branch)
    found = bag(states(names, [0, 10]), *options)
    assert (found.code, found.report["rejected"]) == (1, {"no wrench": 2})
    graph = md.load_urdf(four_link, boxed_branch)
    link = graph.subsystem("right_branch").connection.link
    measured = ("/dynamics_node/black_box/right_branch/wrench", START, wrench(START, link, FORCE))
    found = bag([measured, *states(names, [0, 10])], *options)
    assert (found.code, found.report["answered"]) == (0, 2)
    assert "tau_right" not in found.rows[0]


@pytest.mark.parametrize("prefix", ["", "right_branch/"])
def test_a_black_boxs_own_frame_may_lack_the_prefix(bag, names, four_link, boxed_branch, tmp_path, prefix):
    params = tmp_path / "params.yaml"
    params.write_text("dynamics_node:\n  ros__parameters: {frame_prefix: right_branch/}\n")
    topic, frame = "/dynamics_node/black_box/right_branch/wrench", "right_branch/connection_point"
    measured = topic, START, wrench(START, prefix + frame, FORCE)
    options = ("--partition", boxed_branch, "--params-file", params)
    found = bag([measured, *states(names, [0])], *options)
    assert (found.code, found.report["answered"]) == (0, 1)


def test_odometry_moves_a_floating_base(bag, names, four_link):
    graph = md.load_urdf(four_link, floating_base=True)
    root_link, half = graph.joints[0].child_link, np.sqrt(0.5)
    moved = odometry(START, "odom", root_link, (half, 0.0, 0.0, half), (0.0, 0.0, 0.0, 0.0, 0.0, 2.0))
    found = bag([("/odometry", START, moved), *states(names, [1])], "--floating-base")
    q = np.concatenate([np.zeros(3), [half, half, 0.0, 0.0], Q])
    # 1 ms at 2 rad/s about its z axis turns it by 2 mrad
    turn = np.array([np.cos(1e-3), 0.0, 0.0, np.sin(1e-3)])
    q[3:7] = [
        half * turn[0],
        half * turn[0],
        -half * turn[3],
        half * turn[3],
    ]
    v = np.concatenate([[0.0, 0.0, 0.0, 0.0, 0.0, 2.0], np.zeros(4)])
    tau = md.inverse_dynamics(graph, q, v, np.zeros(10))[6:]
    np.testing.assert_allclose(torques(found.rows[0], names), tau, rtol=0.0, atol=1e-9)
    assert found.code == 0
    late = bag(states(names, [1]), "--floating-base")
    assert (late.code, late.report["rejected"]) == (1, {"no odometry": 1})


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("{changes_file: /robots/changes.yaml}", "warning: changes_file is not read: payloads"),
        ("{black_box_wait: 0.1}", "warning: black_box_wait does not count: the newest valid wrench"),
    ],
)
def test_what_a_parameter_file_asks_for_in_vain_is_said(bag, names, tmp_path, parameters, words):
    path = tmp_path / "params.yaml"
    path.write_text(f"dynamics_node:\n  ros__parameters: {parameters}\n")
    found = bag(states(names, [0]), "--params-file", path)
    assert (found.code, words in found.err) == (0, True)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("{gravity_source: imu}", "gravity_source 'imu' is not read from bags"),
        (
            "{acceleration_source: reference, reference_type: controller_state}",
            "reference_type 'controller_state' is not read from bags",
        ),
    ],
)
def test_inputs_that_are_not_read_from_bags_are_refused(bag, names, tmp_path, parameters, words):
    path = tmp_path / "params.yaml"
    path.write_text(f"dynamics_node:\n  ros__parameters: {parameters}\n")
    found = bag(states(names, [0]), "--params-file", path)
    assert (found.code, words in found.err) == (2, True)
    if "reference" in parameters:
        assert bag(states(names, [0]), "--params-file", path, "--acceleration-source", "zero").code == 0
