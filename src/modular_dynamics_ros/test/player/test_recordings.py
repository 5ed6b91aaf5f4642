import sys

import numpy as np
import pytest
from mcap_ros2.writer import Writer

from modular_dynamics_ros.exceptions import MotionError
from modular_dynamics_ros.player.recordings import load_csv, load_motion

TABLE = "time, q_a, v_a, q_b, v_b\n1.0, 0, 2, 10, 0\n1.5, 1, 2, 10, 0\n2.5, 3, 2, 12, 4\n"

JOINT_STATE = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""


def write(path, text):
    path.write_text(text)
    return path


def bag(path, messages, topic="/joint_states"):
    """A bag of (seconds, names, positions, velocities)."""
    with open(path, "wb") as file:
        writer = Writer(file)
        schema = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
        for seconds, names, q, v in messages:
            nanoseconds = round(seconds * 1e9)
            stamp = {"sec": nanoseconds // 10**9, "nanosec": nanoseconds % 10**9}
            header = {"stamp": stamp, "frame_id": ""}
            content = {"header": header, "name": names, "position": q, "velocity": v, "effort": []}
            writer.write_message(topic, schema, content, log_time=nanoseconds, publish_time=nanoseconds)
        writer.finish()
    return path


def test_a_table_is_exact_at_its_rows_and_linear_between(tmp_path):
    motion = load_csv(write(tmp_path / "m.csv", TABLE))
    assert motion.joint_names == ("a", "b")
    assert motion.duration == 1.5
    assert not motion.has_acceleration
    q, v, a = motion.sample(0.5)
    assert (q.tolist(), v.tolist(), a.tolist()) == ([1.0, 10.0], [2.0, 0.0], [])
    assert motion.sample(1.0)[0] == pytest.approx([2.0, 11.0])
    assert motion.sample(1.5)[0].tolist() == [3.0, 12.0]


@pytest.mark.parametrize(
    ("text", "offender"),
    [
        ("", "exactly one column 'time'"),
        ("q_a\n1\n2\n", "exactly one column 'time'"),
        ("time,q_a,speed\n0,1,2\n1,1,2\n", "unknown column 'speed'"),
        ("time,q_a,q_a\n0,1,2\n1,1,2\n", "every other column once"),
        ("time,v_a\n0,1\n1,1\n", "no column q_NAME"),
        ("time,q_a,q_b,v_a\n0,1,2,3\n1,1,2,3\n", "see 'b'"),
        ("time,q_a\n0,1\n1,x\n", "line 3"),
        ("time,q_a\n0,1\n1\n", "line 3"),
        ("time,q_a\n\n0,1\n\n1,x\n", "line 5"),
        ("time,q_a\n0,1\n1,nan\n", "not finite"),
        ("time,q_a\n0,1\n1,1\n1,1\n", "sample 3 is not later"),
        ("time,q_a\n0,1\n", "at least two samples, has 1"),
    ],
)
def test_a_bad_table_is_refused_by_name(tmp_path, text, offender):
    with pytest.raises(MotionError, match=r"m\.csv") as caught:
        load_csv(write(tmp_path / "m.csv", text))
    assert offender in str(caught.value)


def test_a_bag_is_read_by_joint_name(tmp_path):
    first = 100.0, ["a", "b"], [0.0, 10.0], [1.0, 2.0]
    second = 100.5, ["b", "a", "c"], [12.0, 1.0, 0.0], [4.0, 3.0, 0.0]
    motion = load_motion(bag(tmp_path / "m.mcap", [first, second]))
    assert motion.joint_names == ("a", "b")
    assert motion.duration == pytest.approx(0.5)
    q, v, _ = motion.sample(0.5)
    assert (q.tolist(), v.tolist()) == ([1.0, 12.0], [3.0, 4.0])
    assert motion.sample(0.25)[0] == pytest.approx([0.5, 11.0])


def test_joint_states_without_names_are_left(tmp_path):
    states = [(0.0, [], [], []), *((k, ["a"], [float(k)], []) for k in (1, 2))]
    motion = load_motion(bag(tmp_path / "m.mcap", states))
    assert (motion.joint_names, motion.duration) == (("a",), 1.0)


def test_a_bag_without_velocities_has_none(tmp_path):
    motion = load_motion(bag(tmp_path / "m.mcap", [(k, ["a"], [float(k)], []) for k in (1, 2)]))
    assert motion.sample(0.5)[1].size == 0


def test_a_bad_bag_is_refused_by_name(tmp_path):
    with pytest.raises(MotionError, match="no joint states"):
        load_motion(bag(tmp_path / "m.mcap", [(1.0, ["a"], [0.0], [])], topic="/other"))
    with pytest.raises(MotionError, match="message 2 has no joint 'a'"):
        load_motion(bag(tmp_path / "m.mcap", [(1.0, ["a"], [0.0], []), (2.0, ["b"], [0.0], [])]))
    with pytest.raises(MotionError, match="wrong length"):
        load_motion(bag(tmp_path / "m.mcap", [(1.0, ["a"], [0.0, 1.0], [])]))
    with pytest.raises(MotionError, match="cannot be read"):
        load_motion(write(tmp_path / "m.mcap", "no bag"))


@pytest.mark.parametrize("module", ["mcap.exceptions", "mcap_ros2.decoder"])
def test_without_the_packages_for_bags_the_error_says_how_to_install_them(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MotionError, match=r"one is not installed: pip install mcap mcap-ros2-support$"):
        load_motion("m.mcap")


def test_an_unknown_suffix_is_refused():
    with pytest.raises(MotionError, match=r"\.yaml, \.csv or \.mcap"):
        load_motion("motion.bag")


def test_sampling_does_not_leave_the_table(tmp_path):
    motion = load_csv(write(tmp_path / "m.csv", TABLE))
    assert np.isfinite(motion.sample(motion.duration)[0]).all()
    assert motion.sample(0.0)[0].tolist() == [0.0, 10.0]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_semicolons_and_tabs_separate_columns(tmp_path, separator):
    text = "time,q_a,q_b\n0,0.1,0.2\n1,0.3,0.4\n"
    found = load_motion(write(tmp_path / "MOTION.CSV", text.replace(",", separator)))
    assert found.joint_names == ("a", "b")
    with pytest.raises(MotionError, match="a pointer of Git LFS: `git lfs pull` fetches the file"):
        load_motion(write(tmp_path / "motion.csv", "version https://git-lfs.github.com/spec/v1\n"))
