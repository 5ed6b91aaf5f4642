"""The command bag against dynamics_node itself: the same messages, the same torques to the bit."""

import csv
import time
from contextlib import closing

import numpy as np
import pytest

from helpers.nodes.dynamics_harness import NAMES, Harness
from helpers.recorded_bags import joint_state, write_bag
from modular_dynamics.shell.main import main
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

pytestmark = pytest.mark.ros
PAUSE = 300_000_000  # [ns] longer than the filter bridges: it begins anew
PERIOD = 0.004  # [s]


def motion(k):
    phase = 0.05 * k + np.arange(4)
    return 0.4 * np.sin(phase), 2.0 * np.cos(phase)


def exchanged(harness, count, names_of):
    """Send states and wait for the last answer; the sent (stamp, names, q, v), and the torques by stamp."""
    sent = []
    for k in range(count):
        q, v = motion(k)
        names = names_of(k)
        chosen = [NAMES.index(name) for name in names]
        stamp = harness.send(names=names, q=q[chosen], v=v[chosen])
        sent.append((stamp, names, q[chosen], v[chosen]))
        until = time.monotonic() + PERIOD
        harness.spin_until(lambda until=until: time.monotonic() > until)
    harness.spin_until(lambda: harness.torque_of(sent[-1][0]) is not None)
    torques = {stamp_nanoseconds(m.header.stamp): (list(m.name), list(m.effort)) for m in harness.torques}
    return sent, {stamp: torques[stamp] for stamp, *_ in sent if stamp in torques}


def rows_of_bag(tmp_path, sent, robot, *options):
    messages = [("/joint_states", s + 200_000, joint_state(s, names, q, v)) for s, names, q, v in sent]
    tmp_path.mkdir(exist_ok=True)
    folder = write_bag(tmp_path / "bag", messages)
    path = tmp_path / "torques.csv"
    words = [
        "bag",
        str(folder),
        "--robot",
        str(robot),
        "--csv",
        str(path),
        "-p",
        "stale_after:=30",
        "--quiet",
    ]
    assert main([*words, *options]) == 0
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {int(row["time"].replace(".", "")): [float(row[f"tau_{name}"]) for name in NAMES] for row in rows}


@pytest.mark.parametrize(
    ("source", "names_of"),
    [
        ("zero", lambda k: NAMES),
        ("zero", lambda k: NAMES[:2] if k % 2 else NAMES[2:]),  # merged
        ("filtered", lambda k: NAMES),
        ("filtered", lambda k: NAMES[::-1]),
    ],
)
def test_torques_are_the_nodes_to_the_bit(ros, four_link, tmp_path, source, names_of):
    with closing(Harness(robot_description_file=str(four_link), acceleration_source=source)) as harness:
        harness.activate()
        exchanged(harness, 20, lambda k: NAMES)  # all topics are connected
        end = harness.node.now() + PAUSE
        harness.spin_until(lambda: harness.node.now() > end)
        sent, live = exchanged(harness, 120, names_of)
    recorded = rows_of_bag(tmp_path, sent, four_link, "-p", f"acceleration_source:={source}")
    assert len(live) >= 110
    if names_of(0) == NAMES or source == "filtered":
        assert live.keys() == recorded.keys()
    else:  # at the node the first half of the robot was known before
        live = {stamp: live[stamp] for stamp in live.keys() & recorded.keys()}
        assert len(live) == len(recorded) == 119
    for stamp, (names, torques) in live.items():
        assert names == NAMES
        assert torques == recorded[stamp]
    if source == "filtered":  # accelerations do count
        still = rows_of_bag(tmp_path / "still", sent, four_link)
        assert max(np.abs(np.subtract(still[s], recorded[s])).max() for s in recorded) > 0.1
