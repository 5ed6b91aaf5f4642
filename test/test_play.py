"""joint_state_player and dynamics_node as plain processes, as on a robot."""

import os
import signal
import time

import numpy as np
import pytest

import modular_dynamics as md
from examples.demo.evaluation import evaluate
from examples.demo.playing import Recorder, join
from examples.demo.processes import Processes
from helpers.nodes.waiting import SpunNodes
from modular_dynamics_ros.player import sent_in

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]


class Play(SpunNodes):
    """Both nodes on CHARMIE, and a recorder."""

    def __init__(self, root, logs):
        self.root = root
        self.processes = Processes(logs)
        self.recorder = Recorder(md.load_urdf(root / "urdf/charmie.urdf"))
        super().__init__(self.recorder)

    def start_node(self):
        robot = f"robot_description_file:={self.root / 'urdf/charmie.urdf'}"
        self._start("dynamics_node", robot, "autostart:=true")

    def start_player(self, **parameters):
        motion = f"motion_file:={self.root / 'config/charmie_motion.yaml'}"
        overrides = [f"{key}:={value}" for key, value in parameters.items()]
        self._start("joint_state_player", motion, "wait_for_subscriber:=3", "lead_in:=true", *overrides)

    def _start(self, name, *parameters):
        self.processes.start(name, *parameters, params_file=self.root / "config/charmie.yaml")

    def begin(self):
        """Let the motion begin, once the first pose is answered."""
        self.spin_until(lambda: self.recorder.connected)
        join(self.recorder)  # the third

    def complete(self, count):
        """Whether the player has ended, and so many states were answered on all topics."""
        kept = self.recorder.states, self.recorder.torques, *self.recorder.wrenches.values()
        return all(len(one) == count for one in kept) and self.processes.code("joint_state_player") == 0


@pytest.fixture
def play(root, tmp_path):
    play = Play(root, tmp_path)
    with play.processes:
        yield play
    play.close()


def test_the_published_motion_is_answered_in_full_and_agrees_with_pinocchio(play):
    play.start_node()
    play.spin_until(lambda: play.recorder.dot)
    play.start_player(rate=50.0)
    play.begin()
    play.spin_until(lambda: play.complete(251))
    result = evaluate(play.recorder, 251, sent_in(play.processes.log("joint_state_player")))
    assert result.failures(1e-9) == []
    q, v, _ = play.recorder.states[max(play.recorder.states)]
    end = dict(zip(play.recorder.graph.joint_names, q, strict=True))
    # after 5 s the player stands where the paper's closed form says (rounding only: float64 goes over the
    # wire as it is)
    assert end["base_x"] == pytest.approx(-0.2, abs=1e-12)
    assert end["base_yaw"] == pytest.approx(-4.3633, abs=5e-5)
    assert end["torso_lift"] == pytest.approx(-0.02, abs=1e-12)
    assert np.abs(v).max() < 1e-12
    span = max(play.recorder.states) - min(play.recorder.states)
    assert span == 5_000_000_000  # exactly 5 s of stamps
    assert result.sent == 251
    assert play.processes.end("dynamics_node") == 0  # SIGINT


def test_a_killed_node_that_is_started_again_resumes(play):
    play.start_node()
    play.spin_until(lambda: play.recorder.dot)
    play.start_player(rate=100.0, loop="true")
    play.begin()
    play.spin_until(lambda: len(play.recorder.torques) > 50)
    pid = play.processes.pid("dynamics_node")
    os.kill(pid, signal.SIGKILL)
    play.spin_until(lambda: play.processes.code("dynamics_node") is not None)
    play.processes.end("dynamics_node")
    killed = time.time_ns()  # no later state can have reached the killed node
    play.start_node()
    play.spin_until(lambda: play.recorder.torques and max(play.recorder.torques) > killed)
    resumed = min(stamp for stamp in play.recorder.torques if stamp > killed)
    heard = play.recorder.states, play.recorder.torques
    play.spin_until(lambda: min(map(max, heard)) > resumed + 500_000_000)
    after = [stamp for stamp in play.recorder.states if resumed <= stamp <= resumed + 400_000_000]
    assert len(after) > 30
    assert all(stamp in play.recorder.torques for stamp in after)  # from then on every state again
    assert play.processes.end("joint_state_player") == 0
    assert play.processes.end("dynamics_node") == 0


def test_a_bad_parameter_ends_the_player_with_one_clear_line(play):
    play.start_player(loop="perhaps")
    play.spin_until(lambda: play.processes.code("joint_state_player") is not None)
    assert play.processes.code("joint_state_player") == 1
    log = play.processes.log("joint_state_player")
    assert "error: loop must be true or false, not 'perhaps'" in log
    assert "Traceback" not in log
