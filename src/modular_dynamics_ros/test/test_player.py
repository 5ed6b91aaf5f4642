"""joint_state_player in this process: what it sends and when, and its reference."""

from contextlib import ExitStack, closing
from itertools import zip_longest

import numpy as np
import pytest
import yaml
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from examples.demo.playing import join
from helpers.nodes.waiting import SpunNodes
from modular_dynamics.motions import AccelerationProfile
from modular_dynamics_ros.computation.accelerations.reference_trajectory import ReferenceSampler
from modular_dynamics_ros.computation.values import Coverage
from modular_dynamics_ros.exceptions import MotionError, ParameterError
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds
from modular_dynamics_ros.messages.trajectories import trajectory_from_message
from modular_dynamics_ros.player import JointStatePlayer, Schedule, load_csv, load_motion


def test_the_care_robots_motion_ends_where_the_paper_says(root):
    motion = load_motion(root / "config/charmie_motion.yaml")
    q, v, _ = motion.sample(5.0)
    end = dict(zip(motion.joint_names, q.tolist(), strict=True))
    assert motion.duration == 5.0
    assert len(motion.joint_names) == 19
    # Goncalves et al., section 2: -0.2 m, -250 deg, -0.02 m; the sums are exact but for
    # rounding
    assert end["base_x"] == pytest.approx(-0.2, abs=1e-15)
    assert end["base_yaw"] == pytest.approx(np.deg2rad(-250.0), abs=1e-14)
    assert end["torso_lift"] == pytest.approx(-0.02, abs=1e-16)
    assert np.abs(v).max() < 1e-15
    _, peak, _ = motion.sample(2.5)
    speeds = dict(zip(motion.joint_names, peak.tolist(), strict=True))
    expected = {"base_x": -0.08, "base_yaw": -1.745329, "torso_lift": -0.008}
    assert {name: speeds[name] for name in expected} == pytest.approx(expected)


def test_a_bad_file_is_refused_by_name(tmp_path):
    path = tmp_path / "motion.yaml"
    path.write_text("duration: [")
    with pytest.raises(MotionError, match=r"motion\.yaml.* line 2: this is not YAML"):
        load_motion(path)
    with pytest.raises(MotionError, match=r"\.yaml or \.csv"):
        load_motion("motion.bag")


MOTION = AccelerationProfile({"a": 2.0}, [(1.0, 1.0)])


def test_first_at_zero_last_at_exactly_the_duration():
    schedule = Schedule(MOTION, 200.0, loop=False)
    assert len(schedule) == 201
    assert (schedule.offset(0), schedule.offset(100), schedule.offset(200)) == (0, 500_000_000, 1_000_000_000)
    assert schedule.sample(200)[0].tolist() == [1.0]
    assert schedule.exists(200)
    assert not schedule.exists(201)


def test_a_rate_that_does_not_divide_the_duration_still_ends_there():
    schedule = Schedule(MOTION, 3.3, loop=False)
    assert [schedule.offset(k) for k in range(len(schedule))] == pytest.approx(
        [0, 303030303, 606060606, 909090909, 1_000_000_000], abs=1
    )


def test_a_motion_of_years_takes_no_more_memory():
    schedule = Schedule(AccelerationProfile({"a": 0.0}, [(1e9, 1.0)]), 2000.0, loop=False)
    assert len(schedule) == 2 * 10**12 + 1
    assert schedule.offset(10**12) == 5 * 10**17


def test_a_loop_goes_on_one_period_after_its_end():
    schedule = Schedule(MOTION, 10.0, loop=True)
    assert schedule.exists(10**6)
    assert schedule.offset(11) == schedule.offset(10) + 100_000_000
    assert schedule.sample(11)[0].tolist() == [0.0]


def test_windows_hold_the_samples_within_their_length():
    schedule = Schedule(MOTION, 10.0, loop=False)
    assert schedule.window(0, 0.35) == range(4)
    assert schedule.window(8, 1.5) == range(8, 11)


pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]
MOTION_NODE = """duration: 2.5
segments: [{until: 1.0, scale: 1.0}, {until: 2.5, scale: -0.5}]
accelerations: {a: 2.0, b: -1.0}
"""
RATE, COUNT = 20.0, 51  # samples per second, and of the whole motion
STEP = 50_000_000  # [ns] from one tick of the simulated clock to the next: one sample


class Stage(SpunNodes):
    """A player and a listener in one executor, on a simulated clock: no test waits for the time to pass."""

    def __init__(self, **parameters):
        overrides = [Parameter(k, value=v) for k, v in (parameters | {"use_sim_time": True}).items()]
        self.player = JointStatePlayer(parameter_overrides=overrides)
        self.states, self.references, self.time = [], [], 1_700_000_000_000_000_000
        self.listener = Node("listener")
        self.clock = self.listener.create_publisher(Clock, "/clock", 10)
        super().__init__(self.player, self.listener)
        self.spin_until(self.is_synchronous, "the player's clock")

    def listen(self):
        self.listener.create_subscription(JointState, "joint_states", self.states.append, 1000)
        self.listener.create_subscription(JointTrajectory, "reference", self.references.append, 1000)
        for topic in ("joint_states", "reference")[: 1 + self.player.parameters.publish_reference]:
            self.spin_until(lambda topic=topic: self.player.count_subscribers(topic), topic)
        return self

    def windows(self):
        """The reference less its repetitions."""
        return [a for a, b in zip_longest(self.references, self.references[1:]) if a != b]

    def is_synchronous(self):
        """Tell the player the time; whether it knows."""
        self.clock.publish(Clock(clock=stamp_message(self.time)))
        return self.player.get_clock().now().nanoseconds == self.time

    def tick(self):
        """Let the clock go on by a step, and the player do what is due."""
        self.time += STEP
        self.spin_until(self.is_synchronous, "the time")
        self.executor.spin_once(timeout_sec=0.0)

    def tick_until(self, reached):
        """Let the time pass until a condition holds."""

        def reached_after_a_tick():
            self.tick()
            return reached()

        self.spin_until(reached_after_a_tick)


@pytest.fixture
def stage(tmp_path):
    (tmp_path / "motion.yaml").write_text(MOTION_NODE)
    defaults = {"motion_file": str(tmp_path / "motion.yaml"), "start_delay": 0.2}
    with ExitStack() as ended:
        yield lambda **parameters: ended.enter_context(closing(Stage(**(defaults | parameters))))


def test_it_waits_plays_all_once_and_finishes(stage, tmp_path):
    one = stage(rate=RATE)
    for _ in range(20):
        one.tick()
    assert one.player.sent == 0  # nobody listens yet
    one.listen()
    one.tick_until(lambda: one.player.finished and len(one.states) == COUNT)
    motion = load_motion(tmp_path / "motion.yaml")
    stamps = np.array([stamp_nanoseconds(state.header.stamp) for state in one.states])
    assert (stamps - stamps[0]).tolist() == [k * STEP for k in range(COUNT)]
    for k, state in enumerate(one.states):
        q, v, _ = motion.sample(k / RATE)
        assert state.name == ["a", "b"]
        assert (state.position.tolist(), state.velocity.tolist()) == (q.tolist(), v.tolist())
    assert len(one.windows()) == 3  # at 0, 1 and 2 s
    assert len(one.references) == 3 + 1  # the first one also 0.1 s before the motion
    one.tick_until(lambda: one.player.may_exit)


def test_the_streamed_reference_is_exact_at_every_stamp(stage, tmp_path):
    one = stage(rate=RATE).listen()
    one.tick_until(lambda: one.player.finished and len(one.states) == COUNT)
    motion, sampler, out = load_motion(tmp_path / "motion.yaml"), ReferenceSampler(), np.zeros(2)
    for number, window in enumerate(one.windows()):  # as a node would hear them: each second the next one
        sampler.add(trajectory_from_message(window, ["a", "b"], 0), 0)
        for k in range(20 * number, min(20 * number + 21, COUNT)):
            assert sampler.sample(stamp_nanoseconds(one.states[k].header.stamp), out) is Coverage.COVERED
            assert out.tolist() == motion.sample(k / RATE)[2].tolist()


def test_it_leads_in_with_the_first_pose_until_the_last_subscriber_is_there(stage, tmp_path):
    motion = yaml.safe_load(MOTION_NODE) | {"start": {"a": 0.3}}
    (tmp_path / "elsewhere.yaml").write_text(yaml.safe_dump(motion))
    one = stage(
        rate=RATE, motion_file=str(tmp_path / "elsewhere.yaml"), lead_in=True, wait_for_subscriber=2
    ).listen()
    one.tick_until(lambda: len(one.states) > 3 and one.references)
    sampler, out = ReferenceSampler(), np.ones(2)
    sampler.add(trajectory_from_message(one.references[0], ["a", "b"], 0), 0)
    for state in one.states[1:]:
        assert (state.position.tolist(), state.velocity.tolist()) == ([0.3, 0.0], [0.0, 0.0])
        assert sampler.sample(stamp_nanoseconds(state.header.stamp), out) is Coverage.COVERED
        assert out.tolist() == [0.0, 0.0]
    assert one.player.sent == 0
    join(one.listener)
    one.tick_until(lambda: one.player.may_exit)
    start = stamp_nanoseconds(one.references[-1].header.stamp)  # which all windows of the motion tell
    stamps = [stamp_nanoseconds(state.header.stamp) for state in one.states]
    assert [s - start for s in stamps if s >= start] == [k * STEP for k in range(COUNT)]
    before = [s for s in stamps if s < start]
    assert start - before[-1] < 250_000_000  # no pause in which a node would call its input stale
    sampler = ReferenceSampler()
    for window in one.windows()[:-2]:  # up to the first of the motion's three
        sampler.add(trajectory_from_message(window, ["a", "b"], 0), 0)
    for stamp in before[-10:]:  # held, with a reference, also in start_delay
        assert sampler.sample(stamp, out) is Coverage.COVERED
        assert out.tolist() == [0.0, 0.0]
    for k in range(20):
        assert sampler.sample(start + k * STEP, out) is Coverage.COVERED
        assert out.tolist() == [2.0, -1.0]


def test_a_lead_in_needs_a_subscriber_to_wait_for(stage):
    with pytest.raises(ParameterError, match="wait_for_subscriber"):
        stage(lead_in=True, wait_for_subscriber=0)


def test_a_loop_goes_on(stage):
    one = stage(rate=RATE, loop=True, start_delay=0.0).listen()
    one.tick_until(lambda: len(one.states) > 2 * COUNT)
    assert not one.player.finished
    starts = [state for state in one.states if state.position.tolist() == [0.0, 0.0]]
    assert len(starts) >= 2


def test_states_alone_need_nobody_who_listens(stage):
    one = stage(rate=RATE, publish_reference=False, wait_for_subscriber=0, start_delay=0.0)
    one.tick_until(lambda: one.player.finished)
    assert one.player.sent == COUNT
    assert one.player.count_publishers("reference") == 0


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"motion_file": "/no/such/motion.yaml"}, MotionError, "/no/such/motion.yaml"),
        ({"motion_file": ""}, MotionError, "motion_file '': a file"),
        ({"rate": 0.0}, ParameterError, "rate"),
    ],
)
def test_bad_parameters_are_refused(stage, parameters, error, words):
    with pytest.raises(error, match=words):
        stage(**parameters)


TABLE = "time, q_a, v_a, q_b, v_b\n1.0, 0, 2, 10, 0\n1.5, 1, 2, 10, 0\n2.5, 3, 2, 12, 4\n"


def write(path, text):
    path.write_text(text)
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
        ("time,q_a,speed\n0,1,2\n1,1,2\n", "unknown column 'speed'"),
        ("time,q_a,q_a\n0,1,2\n1,1,2\n", "every other column once"),
        ("time,v_a\n0,1\n1,1\n", "no column q_NAME"),
        ("time,q_a,q_b,v_a\n0,1,2,3\n1,1,2,3\n", "see 'b'"),
        ("time,q_a\n0,1\n1,x\n", "line 3"),
        ("time,q_a\n0,1\n1,nan\n", "line 3: needs 2 finite numbers, not 'nan'"),
        ("time,q_a\n0,1\n3000000000,2\n", "lasts 3e+09 s; 1e+09 s at most: are times in seconds?"),
        ("time,q_a\n0,1\n1,1\n1,1\n", "sample 3 is not later"),
        ("time,q_a\n0,1\n", "at least two samples, has 1"),
    ],
)
def test_a_bad_table_is_refused_by_name(tmp_path, text, offender):
    with pytest.raises(MotionError, match=r"m\.csv") as caught:
        load_csv(write(tmp_path / "m.csv", text))
    assert offender in str(caught.value)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_semicolons_and_tabs_separate_columns(tmp_path, separator):
    text = "time,q_a,q_b\n0,0.1,0.2\n1,0.3,0.4\n"
    found = load_motion(write(tmp_path / "MOTION.CSV", text.replace(",", separator)))
    assert found.joint_names == ("a", "b")
    with pytest.raises(MotionError, match="a pointer of Git LFS: `git lfs pull` fetches the file"):
        load_motion(write(tmp_path / "motion.csv", "version https://git-lfs.github.com/spec/v1\n"))
