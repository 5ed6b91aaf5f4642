"""CHARMIE's right arm as a black box that another process computes: torques as without the black box."""

import time
from contextlib import ExitStack, closing

import numpy as np
import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

import modular_dynamics as md
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.demo.processes import Processes
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
CHARMIE = ROBOTS / "charmie.urdf"
STATES = 100
ARM = [
    "right_shoulder_abduction", "--ros-args", "-r", "__node:=right_arm",
    "-r", "~/motion:=dynamics_node/black_box/right_arm/motion",
    "-r", "~/wrench:=dynamics_node/black_box/right_arm/wrench",
]  # fmt: skip


def test_torques_are_those_without_the_black_box(tmp_path):
    graph, node = md.load_urdf(CHARMIE), Node("robot")
    names, torques, states = list(graph.joint_names), {}, {}
    # the arm's program takes its own joints not to accelerate
    moving = np.array([not name.startswith("right_") for name in names])
    a = np.where(moving, 0.5 * np.sin(1.0 + np.arange(len(names))), 0.0)
    publisher = node.create_publisher(JointState, "joint_states", 500)
    references = node.create_publisher(JointTrajectory, "reference", 10)

    def keep(message):
        torques[stamp_nanoseconds(message.header.stamp)] = dict(
            zip(message.name, message.effort, strict=True)
        )

    node.create_subscription(JointState, "dynamics_node/joint_torques", keep, 1000)

    def send():
        now, k = time.time_ns(), len(states)
        if k % 20 == 0:
            points = [JointTrajectoryPoint(accelerations=a.tolist()) for _ in range(2)]
            points[1].time_from_start.sec = 100
            reference = JointTrajectory(joint_names=names, points=points)
            reference.header.stamp = stamp_message(now - 10**9)
            references.publish(reference)
        q, v = (f(np.arange(len(names)) + 0.1 * k) for f in (np.sin, np.cos))
        message = JointState(name=names, position=q.tolist(), velocity=v.tolist())
        message.header.stamp = stamp_message(now)
        states[now] = q, v
        publisher.publish(message)

    with ExitStack() as ended:
        probe = ended.enter_context(closing(SpunNodes(node)))
        processes = ended.enter_context(Processes(tmp_path))
        processes.start_file("arm", ROOT / "examples/nodes/black_box_arm.py", str(CHARMIE), *ARM)
        partition = ROOT / "config/charmie_black_box.yaml"
        processes.start(
            "dynamics_node", f"robot_description_file:={CHARMIE}", f"partition_file:={partition}",
            "acceleration_source:=reference", "without_reference:=stop", "black_box_wait:=2.0",
            "stale_after:=5.0", "autostart:=true",
        )  # fmt: skip
        last = [0.0]

        def enough():
            if time.monotonic() - last[0] > 0.05:
                send()
                last[0] = time.monotonic()
            return len(torques) >= STATES

        probe.spin_until(enough, f"{STATES} answers")
    largest = 0.0
    for stamp, efforts in torques.items():
        q, v = states[stamp]
        tau = md.inverse_dynamics(graph, q, v, a)
        assert set(efforts) == {name for name, free in zip(names, moving, strict=True) if free}
        errors = [abs(effort - tau[names.index(name)]) for name, effort in efforts.items()]
        largest = max(largest, *errors)
    print(
        f"largest difference from the torques without the black box: {largest:.1e} N m, {len(torques)} states"
    )
    assert largest < 1e-9
