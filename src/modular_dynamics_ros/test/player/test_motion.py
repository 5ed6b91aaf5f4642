import numpy as np
import pytest

from modular_dynamics_ros.exceptions import MotionError
from modular_dynamics_ros.player.motion import load_profile


def test_the_care_robots_motion_ends_where_the_paper_says(root):
    motion = load_profile(root / "config/charmie_motion.yaml")
    q, v, _ = motion.sample(5.0)
    end = dict(zip(motion.joint_names, q.tolist(), strict=True))
    assert motion.duration == 5.0
    assert len(motion.joint_names) == 19
    # Goncalves et al., section 2: -0.2 m, -250 deg, -0.02 m; the sums are exact but for
    # rounding
    assert end["base_x"] == pytest.approx(-0.2, abs=1e-15)
    assert end["base_yaw"] == pytest.approx(np.deg2rad(-250.0), abs=1e-14)
    assert end["torso_lift"] == pytest.approx(-0.02, abs=1e-16)
    assert np.abs(v).max() < 1e-15
    _, peak, _ = motion.sample(2.5)
    speeds = dict(zip(motion.joint_names, peak.tolist(), strict=True))
    expected = {"base_x": -0.08, "base_yaw": -1.745329, "torso_lift": -0.008}
    assert {name: speeds[name] for name in expected} == pytest.approx(expected)


def test_the_sign_changes_at_the_middle_and_not_before(root):
    motion = load_profile(root / "config/charmie_motion.yaml")
    before, at, end = (motion.sample(t)[2][0] for t in (2.5 - 1e-9, 2.5, 5.0))
    assert (before, at, end) == (-0.032, 0.032, 0.032)


GOOD = "duration: 1.0\nsegments: [{until: 1.0, scale: 1.0}]\naccelerations: {a: 1.0}\n"


@pytest.mark.parametrize(
    ("text", "offender"),
    [
        ("[1, 2]", "duration, segments and accelerations is needed"),
        ("duration: [", "line 2: this is not YAML"),
        (GOOD.replace("duration: 1.0", "duration: soon"), "duration is 'soon'; a finite number"),
        (GOOD.replace("until: 1.0", "until: .nan"), "segments/0/until is nan; a finite number"),
        (GOOD.replace("until: 1.0", "until: 0.5"), "duration is 1.0; the end of the last segment"),
        (GOOD.replace("[{", "[{until: 2.0, scale: 1}, {"), "segments/1/until is 1.0; a time [s] later"),
        (GOOD.replace("a: 1.0", "a: true"), "accelerations/a is True; a finite number"),
        (GOOD.replace("{a: 1.0}", "{}"), "accelerations is {}; at least one joint"),
        (GOOD + "start: {b: 1.0}\n", "start/b is no joint that accelerations names"),
        (GOOD + "speed: 2\n", "speed is an unknown key"),
    ],
)
def test_a_bad_file_is_refused_by_name(tmp_path, text, offender):
    path = tmp_path / "motion.yaml"
    path.write_text(text)
    with pytest.raises(MotionError, match=r"motion\.yaml") as caught:
        load_profile(path)
    assert offender in str(caught.value)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(MotionError, match=r"nowhere\.yaml"):
        load_profile(tmp_path / "nowhere.yaml")
