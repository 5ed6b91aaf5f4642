"""Wrenches as sensors give them to a computation."""

import time

from modular_dynamics.algebra import DualQuaternion, adjoint
from modular_dynamics_ros.computation.wrenches.timed_wrenches import Arrival

NOW = 1_700_000_000_000_000_000


def arrival(stamp=NOW):
    """One that only its stamp makes old: computing may take long where a function is compiled."""
    return Arrival(stamp, time.monotonic_ns(), simulated=True)


def in_carrying_link(graph, box, wrench):
    """(link, wrench) of a wrench in the connection frame of a black box."""
    connection = graph.subsystem(box).connection
    zeta = DualQuaternion.pure(wrench[:3], wrench[3:])
    return connection.link, adjoint(connection.x_link_connection, zeta).vec6()


def feed(computation, box, wrench, stamp=NOW):
    """The wrench on a black box, in its connection frame, comes."""
    frame, moved = in_carrying_link(computation.robot.graph, box, wrench)
    computation.wrenches.take_black_box(box, frame, moved, arrival(stamp))
