"""dynamics_node on robots with closed loops, a plain process: a played motion, states out of reach."""

from contextlib import ExitStack, closing

import numpy as np
import pytest
import yaml
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import SubsystemGraph
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.node_probe import DEPTH, NodeProbe
from modular_dynamics.loops import stamped_cut_wrenches
from modular_dynamics_ros.lifecycle.entities import LATCHED
from modular_dynamics_ros.messages.geometry import wrench_from_message

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
NODE = "dynamics_node"
OPEN = 1e-9  # [m or 1]
ELBOW = 2  # rho_4 among the independent joints of the exoskeleton
GOOD = np.array([-0.4, -0.9, 0.8, 0.7, 0.3])
TURN = {
    "duration": 2.0,
    "segments": [{"until": 1.0, "scale": 1.0}, {"until": 2.0, "scale": -1.0}],
    "start": {"J1": 0.3},
    "accelerations": {"J1": 6.4},  # 6.4 rad: more than a turn
}


class Probe(NodeProbe):
    """dynamics_node on a robot; receives all that it publishes for closed loops, and sends states.

    Attributes:
        torques, completed: joint state messages. cuts: loop joint -> stamp -> wrench message.
    """

    def __init__(self, urdf, folder):
        super().__init__(urdf, folder)
        self.torques, self.completed, self.graphs = {}, {}, []
        self.cuts = {loop.name: {} for loop in self.graph.loop_joints}
        self.answers = self.torques, self.completed, *self.cuts.values()
        for topic, kept in (("joint_torques", self.torques), ("completed_joint_states", self.completed)):
            self.listen(JointState, f"{NODE}/{topic}", self.keep(kept), DEPTH)
        for name, kept in self.cuts.items():
            self.listen(WrenchStamped, f"{NODE}/loop_joints/{name}/wrench", self.keep(kept), DEPTH)
        self.listen(SubsystemGraph, f"{NODE}/subsystem_graph", self.graphs.append, LATCHED)

    def start_node(self, *parameters):
        robot = f"robot_description_file:={self.urdf}"
        self.processes.start(NODE, robot, "autostart:=true", "crosscheck_rate:=20.0", *parameters)
        self.spin_until(lambda: self.graphs, "the active node")  # it publishes its graph on activation

    def silent(self, stamp):
        """Whether this state was answered on no topic."""
        return not any(stamp in kept for kept in self.answers)


@pytest.fixture
def start(root, tmp_path):
    """Starts dynamics_node on a robot; returns the probe."""

    def begin(robot, *parameters):
        probe = ended.enter_context(closing(Probe(root / f"urdf/{robot}.urdf", tmp_path)))
        probe.start_node(*parameters)
        return probe

    with ExitStack() as ended:
        yield begin


def gap(graph, coordinates):
    """How far apart loop joints' anchors are, and their axes from parallel: from the tree's poses alone."""
    worst = 0.0
    for loop in graph.loop_joints:
        before, after = (
            md.frame_poses(graph, coordinates, [end.link])[0] @ homogeneous(end.x_link_anchor)
            for end in (loop.predecessor, loop.successor)
        )
        apart = [before[:3, 3] - after[:3, 3], before[:3, :3] @ loop.axis - after[:3, :3] @ loop.axis]
        worst = max(worst, np.abs(apart).max())
    for gear in graph.gears:
        place = {name: coordinates[graph.q_slice(name)][0] for name in graph.joint_names}
        driven = gear.offset + sum(ratio * place[name] for name, ratio in gear.drivers)
        worst = max(worst, abs(place[gear.joint] - driven))
    return worst


def homogeneous(x):
    rotation, position = md.algebra.to_rotation_translation(x)
    return np.block([[rotation, position[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])


@pytest.mark.parametrize("robot", ["exoskeleton", "four_bar"])
def test_a_motion_of_the_independent_joints_is_completed_and_answered(start, root, tmp_path, robot):
    motion, rate = root / "config/exoskeleton_motion.yaml", 50.0
    if robot == "four_bar":
        motion, rate = tmp_path / "turn.yaml", 100.0
        motion.write_text(yaml.safe_dump(TURN))
    probe = start(robot, "acceleration_source:=reference", "without_reference:=stop", "stale_after:=60.0")
    graph = probe.graph
    names = graph.independent_joint_names
    probe.processes.start(
        "joint_state_player",
        *(f"motion_file:={motion}", f"rate:={rate}", "lead_in:=true", "wait_for_subscriber:=3"),
        f"robot_description_file:={root / f'urdf/{robot}.urdf'}",  # it may lack the passive joints
    )
    probe.connect()
    guess, swept = None, []
    for stamp in probe.play(201):  # the third subscriber
        state = *probe.independent_state(stamp), probe.accelerations[stamp]
        expected = md.InverseDynamics(graph).solve(*state, guess=guess)
        guess = expected.coordinates
        full = probe.completed[stamp]
        assert tuple(full.name) == graph.joint_names
        coordinates = np.array(full.position)
        swept.append(coordinates)
        assert gap(graph, coordinates) < OPEN
        assert coordinates == pytest.approx(guess, abs=1e-9)
        assert np.array(full.velocity) == pytest.approx(expected.velocities, abs=1e-9)
        assert not full.effort
        torques = probe.torques[stamp]
        assert tuple(torques.name) == names
        scale = np.abs(expected.tau).max() + 1.0
        assert np.array(torques.effort) == pytest.approx(expected.tau, abs=1e-9 * scale)
        for name, (link, wrench) in stamped_cut_wrenches(graph, expected).items():
            cut = probe.cuts[name][stamp]
            assert cut.header.frame_id == link
            assert wrench_from_message(cut) == pytest.approx(wrench, abs=1e-9 * (np.abs(wrench).max() + 1.0))
    assert np.ptp(swept, axis=0).max() > 0.5  # it did move
    first = len(probe.statuses)
    assert "open tree" in probe.status_after(first, "cross-check", "equal Pinocchio's").message
    status = probe.status_after(first, "closure", "the loops are closed")
    values = {value.key: value.value for value in status.values}
    assert float(values["largest residual [m or 1]"]) < OPEN
    assert float(values["condition number"]) >= 1.0
    assert ("tension of spring [N]" in values) == (robot == "exoskeleton")
    assert probe.processes.end(NODE) == 0


def test_a_state_out_of_reach_is_named_not_answered_and_the_next_good_one_is(start):
    probe = start("exoskeleton", "stale_after:=60.0")
    rest = np.zeros(5)
    probe.publish_until_answered(GOOD)
    far = GOOD.copy()
    far[ELBOW] = np.deg2rad(100.0)
    seen = len(probe.statuses)
    bad = [probe.publish(far) for _ in range(5)]
    broken = probe.publish([*GOOD[:4], np.nan])
    good = probe.publish(GOOD)
    probe.spin_until(lambda: probe.answered(good), "the answer after it")  # in the order of the states
    assert all(probe.silent(stamp) for stamp in [*bad, broken])
    status = probe.status_after(seen, "closure", "cannot close: the loops of 'exoskeleton' do not close")
    assert status.level == b"\x02"
    assert "open are" in status.message
    assert probe.status_after(seen, "input", "position of 'rho_7' is NaN").level == b"\x01"
    assert probe.processes.code(NODE) is None
    # it says when that is over
    assert probe.status_after(len(probe.statuses), "closure", "the loops are closed").level == b"\x00"
    expected = md.InverseDynamics(probe.graph).solve(GOOD, rest, rest)
    assert np.array(probe.torques[good].effort) == pytest.approx(expected.tau, abs=1e-9)
    log = probe.processes.log(NODE)
    assert log.count("cannot close") >= 1
    assert "Traceback" not in log
    assert probe.processes.end(NODE) == 0
