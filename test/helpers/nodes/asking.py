"""dynamics_node, and a node that calls its services."""

import numpy as np
from modular_dynamics_interfaces.msg import RobotState
from modular_dynamics_interfaces.srv import GetEquationOfMotion, InverseDynamics, TrajectoryTorques

from helpers.nodes.dynamics_harness import NAMES, Harness, Q, V

A = np.array([3.0, 1.0, -4.0, 2.0])
STATE = RobotState(joint_names=NAMES, positions=Q, velocities=V, accelerations=A)
SERVICES = {
    "inverse_dynamics": InverseDynamics,
    "equation_of_motion": GetEquationOfMotion,
    "trajectory_torques": TrajectoryTorques,
}


class Asking(Harness):
    """A harness that calls services."""

    def ask(self, name, **fields):
        """Return the answer to a request with these fields."""
        return self.call(SERVICES[name], f"dynamics_node/{name}", SERVICES[name].Request(**fields))

    def refused(self, name, code, **fields):
        """Call a service that must answer with this error code; return its message."""
        answer = self.ask(name, **fields)
        assert not answer.success
        assert answer.error_code == getattr(answer, code), answer.error_message
        return answer.error_message


def good(answer):
    """Return an answer that must be without an error."""
    assert (answer.success, answer.error_code, answer.error_message) == (True, answer.NONE, "")
    return answer
