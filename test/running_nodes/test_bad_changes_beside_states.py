"""500 joint states a second beside changes that must be refused: each has a reason, and no torque changes."""

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from xml.etree import ElementTree

import numpy as np
import pinocchio
import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState

from helpers.changed_robots import remove_subtree
from helpers.nodes.changes.changing import SERVICES
from helpers.nodes.changes.steady_robot import BOX, NAMES, WRENCH, state_at
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from helpers.random_examples.examples import rounds
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

FOUR_LINK = ROBOTS / "four_link.urdf"
#: Enough for each answer where other tests have the processor: what is counted here is that none is lost.
STALE = 30.0  # [s]
PATIENCE = 30.0  # [s] for the last answers
ROUNDS = int(os.environ.get("ROUNDS_OF_BAD_CHANGES", rounds(2, daily=1)))
PARTITION = f"""version: 1
subsystems:
  - {{name: stem, joints: [turn, bend]}}
  - {{name: left_branch, joints: [left]}}
  - {{name: {BOX}, root_link: {BOX}, black_box: true}}
"""


def without_box():
    """Pinocchio's model of the robot without the black box."""
    root = ElementTree.fromstring(FOUR_LINK.read_text())
    for tag in root.findall("modular_dynamics"):
        root.remove(tag)
    remove_subtree(root, BOX)
    model = pinocchio.buildModelFromXML(ElementTree.tostring(root, "unicode"))
    assert list(model.names)[1:] == NAMES
    return model, model.createData()


def torques(model, data, stamp):
    """Of the state with this stamp: the box is held, so that it exerts the opposite on the link of 'bend'."""
    q, v = state_at(stamp)
    forces = [pinocchio.Force.Zero() for _ in model.joints]
    forces[model.getJointId("bend")] = pinocchio.Force(-WRENCH)
    # pinocchio has cosine and sine of a continuous joint, 'turn', in its configuration
    position = pinocchio.integrate(model, pinocchio.neutral(model), q)
    return np.array(pinocchio.rnea(model, data, position, v, np.zeros(3), forces))


@pytest.fixture
def processes(tmp_path):
    """Start `python -m MODULE ...`; what still runs at the end is ended."""
    path = os.pathsep.join([str(ROOT / "test"), os.environ.get("PYTHONPATH", "")])
    started = []

    def start(*words):
        pipe, environment = subprocess.PIPE, os.environ | {"PYTHONPATH": path}
        command = [sys.executable, "-m", *map(str, words)]
        started.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment))
        return started[-1]

    yield start
    for one in started:
        if one.poll() is None:
            one.kill()
            one.wait()


def test_all_states_are_answered_and_all_bad_changes_refused(processes, tmp_path):
    partition = tmp_path / "partition.yaml"
    partition.write_text(PARTITION)
    parameters = f"robot_description_file:={FOUR_LINK}", f"partition_file:={partition}"
    parameters += "autostart:=true", f"stale_after:={STALE}"
    words = [word for parameter in parameters for word in ("-p", parameter)]
    node = processes("modular_dynamics_ros", "dynamics_node", "--ros-args", *words)
    answers = {}
    listener = Node("listener")
    listener.create_subscription(
        JointState,
        "dynamics_node/joint_torques",
        lambda message: answers.__setitem__(stamp_nanoseconds(message.header.stamp), message),
        10_000,
    )
    with closing(SpunNodes(listener)) as spun:
        robot = processes("helpers.nodes.changes.steady_robot")
        spun.spin_until(lambda: len(answers) > 100, "the first answers")
        first = max(answers)
        hail = processes("helpers.nodes.changes.change_hail", tmp_path, ROUNDS)
        spun.spin_until(lambda: hail.poll() is not None, "the end of the hail")
        outcomes = json.loads(hail.communicate()[0] or "{}")
        assert hail.returncode == 0
        stamps = json.loads(robot.communicate()[0])
        sent = [stamp for stamp in stamps if stamp > first]
        deadline = time.monotonic() + PATIENCE
        spun.spin_until(lambda: {*sent} <= answers.keys() or time.monotonic() > deadline)
    missing = [k for k, stamp in enumerate(sent) if stamp not in answers]
    seconds = (sent[-1] - sent[0]) * 1e-9
    print(f"{sum(outcomes.values())} bad changes beside {len(sent)} joint states in {seconds:.1f} s")
    assert missing == []
    assert {name.split()[0] for name in outcomes} == {*SERVICES}
    model, data = without_box()
    for stamp, message in answers.items():
        assert message.name == NAMES
        # two libraries add up 5 N and 20 N m in different orders
        assert message.effort == pytest.approx(torques(model, data, stamp), rel=0.0, abs=1e-12)
    node.terminate()
    assert node.wait(60) == 0
