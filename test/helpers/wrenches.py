"""Wrenches as sensors give them to a computation."""

import time

from modular_dynamics.algebra import DualQuaternion, adjoint
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival

NOW = 1_700_000_000_000_000_000


def arrival(stamp=NOW):
    """The arrival of a wrench that only its stamp makes old, however long the test takes."""
    return Arrival(stamp, time.monotonic_ns(), simulated=True)


def in_carrying_link(graph, box, wrench):
    """(link, wrench) at the link that carries a black box, of a wrench in the box's connection frame."""
    connection = graph.subsystem(box).connection
    zeta = DualQuaternion.pure(wrench[:3], wrench[3:])
    return connection.link, adjoint(connection.x_link_connection, zeta).vec6()


def feed(computation, box, wrench, stamp=NOW):
    """Give a computation the wrench on a black box, in its connection frame."""
    frame, moved = in_carrying_link(computation.robot.graph, box, wrench)
    computation.wrenches.take_black_box(box, frame, moved, arrival(stamp))
