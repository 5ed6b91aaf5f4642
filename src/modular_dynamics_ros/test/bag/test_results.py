"""The written bag: the same numbers as the CSV, in messages that the node would have published."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.recorded_bags import START, joint_state, moving_states
from modular_dynamics_ros.bag.recording import Recording
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds

TORQUES = "/dynamics_node/joint_torques"


@pytest.fixture
def written(bag, names, tmp_path):
    states, _ = moving_states(names, 30, efforts=lambda k: [1.0, np.nan, 3.0, k])
    found = bag(states, "--bag", tmp_path / "out", "--frame-prefix", "left/")
    assert found.code == 0
    return found, tmp_path / "out"


def test_topics_stamps_and_numbers(written, names):
    found, path = written
    with Recording(path) as recording:
        assert set(recording.topics) == {
            TORQUES,
            "/dynamics_node/torque_residuals",
            *(
                f"/dynamics_node/connections/{name}/wrench"
                for name in ("stem", "left_branch", "right_branch")
            ),
        }
        torques = list(recording.messages([TORQUES]))
        residuals = list(recording.messages(["/dynamics_node/torque_residuals"]))
        wrenches = list(recording.messages(["/dynamics_node/connections/left_branch/wrench"]))
    assert len(torques) == len(residuals) == len(wrenches) == 30
    for k, row in enumerate(found.rows):
        message, residual, wrench = torques[k].message, residuals[k].message, wrenches[k].message
        stamp = START + round(k / 500.0 * 1e9)
        for one in (message, residual, wrench):
            assert stamp_nanoseconds(one.header.stamp) == stamp
        assert torques[k].time == stamp + 1_000_000  # when the joint state was recorded
        assert list(message.name) == names
        assert message.effort.tolist() == [float(row[f"tau_{name}"]) for name in names]
        assert list(residual.name) == ["turn", "left", "right"]
        assert residual.effort.tolist() == [float(row[f"residual_{name}"]) for name in residual.name]
        assert wrench.header.frame_id == "left/left_branch"  # the first link of the subsystem
        force = wrench.wrench.force
        assert [force.x, force.y, force.z] == [float(row[f"f{axis}_left_branch"]) for axis in "xyz"]


def test_the_written_bag_is_a_bag_for_mcaps_own_reader(written):
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    found, path = written
    with open(next(path.glob("*.mcap")), "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        efforts = [list(m.effort) for _, _, _, m in reader.iter_decoded_messages(topics=[TORQUES])]
    assert efforts == [
        [float(row[f"tau_{n}"]) for n in ("turn", "bend", "left", "right")] for row in found.rows
    ]


def test_without_an_answer_there_is_an_empty_bag(bag, names, tmp_path):
    nobody = [("/joint_states", START, joint_state(START, ["other"], [0.0]))]
    assert bag(nobody, "--bag", tmp_path / "out").code == 1
    with Recording(tmp_path / "out") as recording:
        assert list(recording.messages([TORQUES])) == []


def test_names_that_would_share_a_topic_are_refused(bag, names, four_link, tmp_path):
    path = tmp_path / "partition.yaml"
    path.write_text(
        "version: 1\nsubsystems:\n  - {name: a b, joints: [turn, bend]}\n  - {name: a_b, joints: [left]}\n"
        "  - {name: c, joints: [right]}\n"
    )
    states, _ = moving_states(names, 3)
    found = bag(states, "--partition", path, "--bag", tmp_path / "out")
    assert found.code == 2
    assert "would share the topics" in found.err
    assert len(md.load_urdf(four_link, path).subsystems) == 3
