"""dynamics_node with four_link's right branch as a black box, and the sensor that holds that branch."""

from contextlib import closing
from time import monotonic

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from modular_dynamics_interfaces.srv import IdentifyPayload, TareBlackBox

import modular_dynamics as md
from helpers.nodes.dynamics_harness import NAMES, Harness
from helpers.wrenches import in_carrying_link
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.messages.wrenches import WrenchWriter

BOX, PERIOD = "right_branch", 0.005
# [ns], more than stale_after: a joint state so much later is answered with no wrench of the pose before
LATER = 250_000_000
OFFSET = np.array([4.0, -2.0, 7.0, 0.3, -0.1, 0.2])
KINDS = {"tare_black_box": TareBlackBox, "identify_payload": IdentifyPayload}


class Boxed(Harness):
    """Its sensor is fixed to upper_stem. The branch's joint stands at zero.

    Attributes:
        q, v: of turn, bend and left. noise: standard deviation [N and N m]. offset: of the sensor (6,).
        stalled: no joint states are sent, only wrenches.
    """

    def __init__(self, path, partition, **parameters):
        super().__init__(robot_description_file=path, partition_file=partition, **parameters)
        self.graph, self.rng = md.load_urdf(path), np.random.default_rng(5)
        self.q, self.v, self.noise, self.offset, self.frame = (
            np.zeros(3),
            np.zeros(3),
            0.0,
            OFFSET,
            "upper_stem",
        )
        self.sensor = self.probe.create_publisher(WrenchStamped, f"dynamics_node/black_box/{BOX}/wrench", 100)
        self.clients = {name: self.client(kind, f"dynamics_node/{name}") for name, kind in KINDS.items()}
        self._next, self.stalled = 0.0, False

    def held(self, q):
        """What holds the branch at rest, by the graph that knows its mass."""
        solution = md.InverseDynamics(self.graph).solve([*q, 0.0], np.zeros(4), np.zeros(4))
        return solution.tau[:3], in_carrying_link(self.graph, BOX, solution.connection_wrenches[2])[1]

    def feed(self):
        """A joint state and a wrench of the same stamp, at times."""
        if monotonic() < self._next:
            return
        self._next = monotonic() + PERIOD
        stamp = self.node.now() if self.stalled else self.send(names=NAMES[:3], q=self.q, v=self.v)
        wrench = self.held(self.q)[1] + self.offset + self.rng.normal(0.0, self.noise, 6)
        self.sensor.publish(WrenchWriter().write(stamp_message(stamp), self.frame, wrench))

    def ready(self):
        """Until the first answer."""
        self.start()
        self.spin_until(lambda: self.feed() or self.torques)
        return self

    def ask(self, name, feed=True, **fields):
        future = self.clients[name].call_async(KINDS[name].Request(**{"black_box": BOX} | fields))
        self.spin_until(lambda: (feed and self.feed()) or future.done(), name)
        return future.result()

    def effort(self):
        """Of an answer in which state and wrench are those of the present pose."""
        after = self.node.now()
        found = []

        def answered():
            self.feed()
            found[:] = [m for m in self.torques if Time_ns(m.header.stamp) > after + LATER]
            return found

        self.spin_until(answered)
        return np.array(found[-1].effort)


def Time_ns(stamp: Time) -> int:
    return stamp.sec * 10**9 + stamp.nanosec


@pytest.fixture
def boxed(ros, four_link, boxed_branch):
    made = []

    def make(**parameters):
        made.append(Boxed(four_link, boxed_branch, **{"crosscheck_rate": 0.0} | parameters))
        return made[-1]

    yield make
    for one in made:
        with closing(one):
            pass
