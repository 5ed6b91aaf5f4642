"""All nodes with a copy of rclpy whose private members have other names: they do the same, and end well."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import Inertia
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from modular_dynamics_interfaces.msg import RobotState
from modular_dynamics_interfaces.srv import IdentifyPayload, InverseDynamics, SetPayload
from sensor_msgs.msg import JointState

from helpers.nodes.node_probe import NodeProbe
from helpers.random_examples.examples import rounds
from modular_dynamics.modular import Assembly
from modular_dynamics_ros.assembly.files import save_assembly

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
RENAMED = r"\b_(tasks|guard|sigint_gc|executor_event|executor_triggered|callback_type|parameter_overrides)\b"
CYCLE = (
    Transition.TRANSITION_CONFIGURE,
    Transition.TRANSITION_ACTIVATE,
    Transition.TRANSITION_DEACTIVATE,
    Transition.TRANSITION_CLEANUP,
)
CYCLES = rounds(25, daily=2)  # of four transitions


@pytest.fixture(scope="module")
def renamed(tmp_path_factory):
    """A folder with the copy, and the shared libraries that wheels keep beside a package."""
    folder, original = tmp_path_factory.mktemp("packages"), Path(rclpy.__file__).parent
    shutil.copytree(original, folder / "rclpy", ignore=shutil.ignore_patterns("__pycache__"))
    count = 0
    for path in (folder / "rclpy").rglob("*.py"):
        text, changed = re.subn(RENAMED, r"_renamed_\1", path.read_text("utf-8"))
        path.write_text(text, "utf-8")
        count += changed
    assert count > 20
    for libraries in original.parent.glob("*.libs"):
        (folder / libraries.name).symlink_to(libraries)
    return folder


class Nodes(NodeProbe):
    """Processes of nodes, with the copy of rclpy."""

    def __init__(self, root, folder, renamed, *names):
        super().__init__(root / "urdf/charmie.urdf", folder)
        path = os.pathsep.join([str(renamed), os.environ.get("PYTHONPATH", "")])
        self.environment = {"PYTHONPATH": path}
        torso, assembly = root / "urdf/charmie_torso.urdf", folder / "assembly.yaml"
        save_assembly(
            Assembly(("b", "backbone")).dock("b", 3, "v1", 4, kind="scout"), str(assembly), overwrite=False
        )
        rules = f"rules_file:={root / 'urdf/charmie_torso_rules.yaml'}"
        parameters = {
            "dynamics_node": [f"robot_description_file:={self.urdf}"],
            "torso_reaction_node": [f"robot_description_file:={torso}", rules],
            "subsystem_node": [f"robot_description_file:={self.urdf}", "subsystem:=base"],
            "assembly_node": [f"assembly_file:={assembly}"],
        }
        for name in names:
            self.start_node(name, *parameters[name])

    def start_node(self, name, *parameters):
        with patch.dict(os.environ, self.environment):
            self.processes.start(name, *parameters)

    def connected(self, kind, name):
        """A client that gets answers: the first may be lost, as the service does not know its client yet."""
        client, asked = self.client(kind, name), []

        def answered():
            asked.append(client.call_async(kind.Request()))  # which is refused
            return any(one.done() for one in asked)

        self.spin_until(answered, f"an answer of {name}")
        return client

    def answers_of(self, kind, name, count=1, **fields):
        """Answers to `count` requests that are sent at once."""
        client = self.connected(kind, name)
        futures = [client.call_async(kind.Request(**fields)) for _ in range(count)]
        self.spin_until(lambda: all(one.done() for one in futures), f"answers of {name}")
        self.node.destroy_client(client)
        return [one.result() for one in futures]

    def transit(self, name, transitions):
        client = self.connected(ChangeState, f"{name}/change_state")
        for one in transitions:
            future = client.call_async(ChangeState.Request(transition=Transition(id=one)))
            self.spin_until(future.done, f"transition {one} of {name}")
            assert future.result().success, self.processes.log(name)
        self.node.destroy_client(client)


def test_the_copy_is_the_one_that_is_imported(renamed):
    program = "import rclpy.executors; print(rclpy.executors.__file__)"
    environment = os.environ | {"PYTHONPATH": f"{renamed}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    shown = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    assert shown == f"{renamed / 'rclpy/executors.py'}\n"


def test_nodes_start_change_their_state_answer_and_end(root, tmp_path, renamed):
    lifecycle = ("dynamics_node", "torso_reaction_node", "subsystem_node", "assembly_node")
    with closing(Nodes(root, tmp_path, renamed, *lifecycle)) as nodes:
        for name in lifecycle:
            nodes.transit(name, CYCLE * CYCLES)
            nodes.transit(name, CYCLE[:2])
        torques, names = [], list(nodes.graph.independent_joint_names)
        q = np.full(len(names), 0.1)
        nodes.listen(JointState, "dynamics_node/joint_torques", torques.append, 1000)
        nodes.node.create_timer(0.005, lambda: nodes.publish(q))
        nodes.spin_until(lambda: torques, "torques")
        before = len(torques)
        state = RobotState(joint_names=names, positions=q)
        payload = Inertia(m=1.0, ixx=0.01, iyy=0.01, izz=0.01)
        link = next(reversed(nodes.graph.links))
        for _ in range(rounds(10, daily=2)):
            answers = nodes.answers_of(InverseDynamics, "dynamics_node/inverse_dynamics", 5, state=state)
            answers += nodes.answers_of(
                SetPayload, "dynamics_node/set_payload", 2, link=link, inertia=payload
            )
            assert all(one.success for one in answers), answers
        (refused,) = nodes.answers_of(IdentifyPayload, "dynamics_node/identify_payload", black_box="none")
        assert refused.error_code == refused.UNKNOWN_NAME
        assert len(torques) > before
        nodes.start_node("joint_state_player", f"motion_file:={root / 'config/charmie_motion.yaml'}")
        nodes.spin_until(lambda: nodes.start, "the player's reference")
        for name in (*lifecycle, "joint_state_player"):
            assert nodes.processes.end(name) == 0, nodes.processes.log(name)
            assert "unexpectedly" not in nodes.processes.log(name)
            assert "Traceback" not in nodes.processes.log(name)


def test_a_node_that_is_ended_while_a_request_waits_ends_well(root, tmp_path, renamed):
    with closing(Nodes(root, tmp_path, renamed, "dynamics_node")) as nodes:
        nodes.transit("dynamics_node", CYCLE[:2])
        payload = Inertia(m=1.0, ixx=0.01, iyy=0.01, izz=0.01)
        client = nodes.connected(SetPayload, "dynamics_node/set_payload")
        link = next(reversed(nodes.graph.links))
        asked = [client.call_async(SetPayload.Request(link=link, inertia=payload)) for _ in range(5)]
        nodes.spin_until(lambda: any(one.done() for one in asked), "an answer")
        assert nodes.processes.end("dynamics_node") == 0
        assert "Traceback" not in nodes.processes.log("dynamics_node")
