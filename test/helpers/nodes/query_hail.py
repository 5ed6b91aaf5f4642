"""A process that asks dynamics_node everything it can, well and badly, until its input ends.

It prints how many requests of each service had each outcome, and ends with an error where an answer is not
the expected one or has no reason.
"""

import json
import sys
import threading
import time
from collections import Counter

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import RobotState
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from helpers.nodes.asking import SERVICES
from helpers.nodes.waiting import SpunNodes

POINTS = 10_000
RESEND = 2.0  # [s]: the middleware may lose the answer to the first request of a client


def trajectory(names, points, step=10_000_000):
    message = JointTrajectory(joint_names=names)
    for k in range(points):
        q = (0.1 * np.sin(0.01 * k + np.arange(len(names)))).tolist()
        point = JointTrajectoryPoint(positions=q, velocities=[0.0] * len(q))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(k * step, 1_000_000_000)
        message.points.append(point)
    return message


def hail(names):
    """(service, fields, name of the expected code)."""
    odd = WrenchStamped()
    odd.header.frame_id = "no such link"
    rest = RobotState(joint_names=names, positions=[0.0] * len(names))
    bad = [
        (RobotState(joint_names=["nix"], positions=[0.0]), "UNKNOWN_NAME"),
        (RobotState(joint_names=names[:1] * 2, positions=[0.0] * 2), "BAD_STATE"),
        (RobotState(joint_names=names, positions=[np.nan] * len(names)), "BAD_STATE"),
        (RobotState(joint_names=names), "BAD_STATE"),
    ]
    for name in ("inverse_dynamics", "forward_dynamics", "equation_of_motion", "jacobian"):
        link = {"link": "world"} if name == "jacobian" else {}
        for state in (RobotState(), rest):
            yield name, {"state": state, **link}, "NONE"
        for state, code in bad:
            yield name, {"state": state, **link}, code
    yield "inverse_dynamics", {"external_wrenches": [odd]}, "UNKNOWN_NAME"
    yield "forward_dynamics", {"effort_names": ["nix"], "efforts": [1.0]}, "UNKNOWN_NAME"
    yield "jacobian", {"link": "no such link"}, "UNKNOWN_NAME"
    yield "get_subsystem_graph", {}, "NONE"
    yield "trajectory_torques", {"trajectory": trajectory(names, 5)}, "NONE"
    yield "trajectory_torques", {}, "BAD_STATE"
    yield "trajectory_torques", {"trajectory": trajectory(names, 5, step=0)}, "BAD_STATE"
    yield "trajectory_torques", {"trajectory": trajectory(["nix"], 5)}, "UNKNOWN_NAME"
    yield "trajectory_torques", {"trajectory": trajectory(names[:1], 20_001)}, "BAD_STATE"


class Client(SpunNodes):
    """Asks, and judges answers."""

    def __init__(self):
        node = Node("client")
        super().__init__(node)
        self.clients = {name: self.client(kind, f"dynamics_node/{name}") for name, kind in SERVICES.items()}
        self.outcomes = Counter()

    def connect(self):
        """Until each service has answered once, and not that the node is inactive: it may have just begun."""
        for name in self.clients:
            futures = []

            def heard(name=name, futures=futures):
                if not futures or time.monotonic() > futures[-1][1] + RESEND:
                    futures.append((self.ask(name), time.monotonic()))
                answers = [future.result() for future, _ in futures if future.done()]
                return any(answer.error_code != answer.NOT_ACTIVE for answer in answers)

            self.spin_until(heard, name)

    def ask(self, name, **fields):
        return self.clients[name].call_async(SERVICES[name].Request(**fields))

    def judge(self, name, future, code):
        self.spin_until(future.done, f"an answer of {name}")
        answer = future.result()
        assert answer.error_code == getattr(answer, code), (name, code, answer.error_message)
        assert answer.success == (code == "NONE") == (not answer.error_message)
        self.outcomes[f"{name} {code}"] += 1
        return answer


def main(names):
    rclpy.init()
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    client = Client()
    client.connect()
    print("connected", flush=True)
    requests, long = list(hail(names)), trajectory(names, POINTS)
    while not ended.is_set():
        answer = client.judge("trajectory_torques", client.ask("trajectory_torques", trajectory=long), "NONE")
        assert len(answer.trajectory.points) == POINTS
        for _ in range(3):
            asked = [(name, client.ask(name, **fields), code) for name, fields, code in requests]
            for one in asked:
                client.judge(*one)
    print(json.dumps(client.outcomes), flush=True)
    client.close()
    rclpy.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
