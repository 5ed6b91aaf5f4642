import pytest

from modular_dynamics_ros.computation.changes.lock import Lock, locked_positions
from modular_dynamics_ros.computation.changes.payload import Payload

pytestmark = pytest.mark.ros


def test_it_is_what_all_locks_hold():
    load = Payload("hand", 1.0, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    changes = Lock({"pan": 0.5}), load, Lock({"tilt": -0.25, "lift": 0.1})
    assert locked_positions(changes) == {"pan": 0.5, "tilt": -0.25, "lift": 0.1}
    assert locked_positions(()) == {}
