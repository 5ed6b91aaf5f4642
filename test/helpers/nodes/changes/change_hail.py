"""A process that sends dynamics_node all requests of `bad_changes`, round after round; it prints outcomes.

It ends with an error where one is accepted, or refused with another code, without naming the offender, on
several lines, or at great length. Arguments: a folder for files, and the number of rounds.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from helpers.nodes.changes.bad_changes import bad_changes
from helpers.nodes.changes.changing import SERVICES, request
from helpers.nodes.waiting import SpunNodes

CODES = "NONE", "NOT_ACTIVE", "UNKNOWN_NAME", "BAD_STATE", "REFUSED", "FILE", "UNEXPECTED"
LONGEST = 1050  # characters of a message: 1000, and how long it was
WAITING = 20  # requests at once
#: By default a client keeps ten requests, and ten answers: DDS would drop what is above without a word.
KEEPING_ALL = QoSProfile(depth=WAITING, reliability=ReliabilityPolicy.RELIABLE)


def judge(name, code, words, answer):
    """Whether a refusal says what was wrong."""
    found = next(one for one in CODES if getattr(answer, one) == answer.error_code)
    text = answer.error_message
    assert not answer.success, name
    assert found == code, (name, code, found, text)
    assert words in text, (name, words, text)
    assert text.isprintable(), (name, text)
    assert len(text) <= LONGEST, (name, len(text))


def main(folder, rounds):
    rclpy.init()
    node, outcomes = Node("hail"), Counter()
    spun = SpunNodes(node)
    clients = {
        name: spun.client(kind, f"dynamics_node/{name}", qos_profile=KEEPING_ALL)
        for name, kind in SERVICES.items()
    }
    requests = [
        (name, request(SERVICES[name], **dict(fields)), code, words)
        for _ in range(rounds)
        for name, fields, code, words in bad_changes(Path(folder))
    ]
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
    main(sys.argv[1], int(sys.argv[2]))
