import pytest

from helpers.recorded_bags import START, joint_state, write_bag
from modular_dynamics.shell.command import UsageError
from modular_dynamics_ros.bag.columns import bag_columns


def test_a_bag_without_torques_and_none_at_all(tmp_path, names):
    folder = write_bag(tmp_path / "bag", [("/joint_states", START, joint_state(START, names, [0.0] * 4))])
    with pytest.raises(UsageError, match="needs one topic of torques, NODE/joint_torques; it has none"):
        bag_columns(str(folder), ("tau_",))
    with pytest.raises(UsageError, match="cannot be read"):
        bag_columns(str(tmp_path), ("tau_",))
