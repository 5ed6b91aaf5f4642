import numpy as np
import pytest

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.motions import AccelerationProfile, load_profile, profile_of

TEXT = "duration: 2.0\nsegments: [{until: 1.0, scale: 1}, {until: 2.0, scale: -1}]\naccelerations: {a: 3.0}\n"


def test_a_profile_is_read_from_a_file_or_a_text(tmp_path):
    (tmp_path / "a.yaml").write_text(TEXT + "start: {a: 0.5}\n")
    motion = load_profile(tmp_path / "a.yaml")
    assert (motion.joint_names, motion.duration) == (("a",), 2.0)
    # one second at 3, one at -3: it ends at rest, 3 on
    assert [part.tolist() for part in motion.sample(2.0)] == [[3.5], [0.0], [-3.0]]
    assert profile_of(TEXT, "the text").sample(2.0)[0].tolist() == [3.0]


@pytest.mark.parametrize(
    ("text", "offender"),
    [
        ("a: 1", "a is an unknown key"),
        (TEXT.replace("until: 2.0", "until: 0.5"), "segments/1/until is 0.5; a time .s. later"),
        (TEXT.replace("3.0", "x"), "accelerations/a is 'x'; a finite number"),
    ],
)
def test_errors_name_what_is_wrong(text, offender):
    with pytest.raises(DescriptionError, match=f"^here.*: .*{offender}"):
        profile_of(text, "here")


def test_position_and_velocity_are_integrals_of_the_acceleration():
    motion = AccelerationProfile({"a": 2.0, "b": -1.0}, [(0.3, 1.0), (1.0, -0.5), (1.7, 0.25)], {"a": 0.5})
    step = 1e-4
    for t in (0.1, 0.3 + step, 0.65, 1.2, 1.7 - step):
        (q0, v0, _), (_, v, a), (q1, v1, _) = (motion.sample(t + d) for d in (-step, 0.0, step))
        # central differences are exact for parabolas
        assert (q1 - q0) / (2 * step) == pytest.approx(v, abs=1e-11)
        if abs(t - 0.3) > 2 * step:
            assert (v1 - v0) / (2 * step) == pytest.approx(a, abs=1e-11)
    assert motion.sample(0.0)[0].tolist() == [0.5, 0.0]


def test_all_joints_move_on_one_path():
    motion = AccelerationProfile({"a": 2.0, "b": -1.0}, [(0.3, 1.0), (1.0, -0.5)], {"b": 0.1})
    times = np.array([0.0, 0.2, 0.3, 0.7, 1.0])
    path, rate, scale = motion.path(times)
    for k, t in enumerate(times.tolist()):
        q, v, a = motion.sample(t)
        assert q.tolist() == pytest.approx([2.0 * path[k], 0.1 - path[k]], abs=1e-15)
        assert v.tolist() == pytest.approx([2.0 * rate[k], -rate[k]], abs=1e-15)
        assert a.tolist() == [2.0 * scale[k], -scale[k]]
    # 0.3 s at 1, then 0.7 s at -0.5: 0.045 + 0.3 * 0.7 - 0.25 * 0.49
    assert path[-1] == pytest.approx(0.1325, abs=1e-15)
