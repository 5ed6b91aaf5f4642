import pytest

from modular_dynamics.exceptions import DescriptionError
from modular_dynamics.motions import load_profile, profile_of

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
        (
            TEXT.replace("until: 2.0", "until: 0.5"),
            "segments/1/until is 0.5; a time .s. later",
        ),
        (TEXT.replace("3.0", "x"), "accelerations/a is 'x'; a finite number"),
    ],
)
def test_errors_name_what_is_wrong(text, offender):
    with pytest.raises(DescriptionError, match=f"^here.*: .*{offender}"):
        profile_of(text, "here")
