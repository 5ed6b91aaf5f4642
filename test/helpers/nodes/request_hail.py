"""A process that sends dynamics_node a hail of requests, round after round, and judges answers.

It prints how many requests of each service had each outcome, and ends with an error where an answer has
another code, or a refusal does not name the offender, takes several lines, or has no end. Arguments: how many
rounds; "changes" and a folder for files, or "queries" and the names of the joints.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import rclpy
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.msg import RobotState
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from helpers.nodes import asking
from helpers.nodes.changes import changing
from helpers.nodes.changes.bad_changes import bad_changes
from helpers.nodes.waiting import SpunNodes

POINTS = 10_000
LONGEST = 1050  # characters of a message: 1000, and how long it was
RESEND = 2.0  # [s]: the middleware may lose the answer to the first request of a client
WAITING = 20  # requests at once
#: By default a client keeps ten requests, and ten answers: DDS would drop what is above without a word.
KEEPING_ALL = QoSProfile(depth=WAITING, reliability=ReliabilityPolicy.RELIABLE)


def trajectory(names, points, step=10_000_000):
    message = JointTrajectory(joint_names=names)
    for k in range(points):
        q = (0.1 * np.sin(0.01 * k + np.arange(len(names)))).tolist()
        point = JointTrajectoryPoint(positions=q, velocities=[0.0] * len(q))
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(k * step, 1_000_000_000)
        message.points.append(point)
    return message


def queries(*joints):
    """(service, request, name of the expected code, words of the answer)."""
    names, odd = list(joints), WrenchStamped()
    odd.header.frame_id = "no such link"
    rest = RobotState(joint_names=names, positions=[0.0] * len(names))
    states = [
        (RobotState(), "NONE", ""),  # that of the last answer
        (rest, "NONE", ""),
        (RobotState(joint_names=["nix"], positions=[0.0]), "UNKNOWN_NAME", "nix"),
        (RobotState(joint_names=names[:1] * 2, positions=[0.0] * 2), "BAD_STATE", names[0]),
        (RobotState(joint_names=names, positions=[np.nan] * len(names)), "BAD_STATE", names[0]),
        (RobotState(joint_names=names), "BAD_STATE", ""),
    ]
    asked = [("trajectory_torques", {"trajectory": trajectory(names, POINTS)}, "NONE", "")]
    for name in ("inverse_dynamics", "equation_of_motion"):
        asked += [(name, {"state": state}, code, words) for state, code, words in states]
    asked += [
        ("inverse_dynamics", {"external_wrenches": [odd]}, "UNKNOWN_NAME", "no such link"),
        ("trajectory_torques", {}, "BAD_STATE", ""),
        ("trajectory_torques", {"trajectory": trajectory(names, 5, step=0)}, "BAD_STATE", ""),
        ("trajectory_torques", {"trajectory": trajectory(["nix"], 5)}, "UNKNOWN_NAME", "nix"),
        ("trajectory_torques", {"trajectory": trajectory(names[:1], 20_001)}, "BAD_STATE", ""),
    ]
    for name, fields, code, words in asked:
        yield name, asking.SERVICES[name].Request(**fields), code, words


def changes(folder):
    """The same of changes that must be refused."""
    for name, fields, code, words in bad_changes(Path(folder)):
        yield name, changing.request(changing.SERVICES[name], **dict(fields)), code, words


KINDS = {"queries": (queries, asking.SERVICES), "changes": (changes, changing.SERVICES)}


def connect(spun, kind, client):
    """Until the client has got an answer: what an empty request asks changes nothing."""
    futures, due = [], 0.0

    def heard():
        nonlocal due
        if time.monotonic() > due:
            futures.append(client.call_async(kind.Request()))
            due = time.monotonic() + RESEND
        return any(future.done() for future in futures)

    spun.spin_until(heard, f"an answer of {client.srv_name}")


def judge(name, code, words, answer):
    """Whether this is the expected answer, and a refusal says what was wrong."""
    text = answer.error_message
    shown = name, code, words, answer.error_code, text
    assert answer.error_code == getattr(answer, code), shown
    assert answer.success == (code == "NONE") == (not text), shown
    assert words in text, shown
    assert text.isprintable(), shown
    assert len(text) <= LONGEST, (len(text), shown)


def main(rounds, kind, *arguments):
    rclpy.init()
    spun, outcomes = SpunNodes(Node("hail")), Counter()
    made, services = KINDS[kind]
    clients = {
        name: spun.client(of, f"dynamics_node/{name}", qos_profile=KEEPING_ALL)
        for name, of in services.items()
    }
    for name, of in services.items():
        connect(spun, of, clients[name])
    requests = [one for _ in range(rounds) for one in made(*arguments)]
    while requests:
        batch, requests = requests[:WAITING], requests[WAITING:]
        asked = [(name, code, words, clients[name].call_async(one)) for name, one, code, words in batch]
        for name, code, words, future in asked:
            spun.spin_until(future.done, f"an answer of {name}, {code}, {words}")
            judge(name, code, words, future.result())
            outcomes[f"{name} {code}"] += 1
    print(json.dumps(outcomes), flush=True)
    spun.close()
    rclpy.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
