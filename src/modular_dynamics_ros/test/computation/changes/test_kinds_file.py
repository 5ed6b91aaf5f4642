"""Changes in a file: what is read is what was written, and damage is named."""

import pytest

from modular_dynamics_ros.computation.changes.kinds import (
    Attachment,
    ChangesFile,
    Lock,
    Payload,
    Removal,
)
from modular_dynamics_ros.exceptions import ChangeFileError


def text_of_changes(robot, changes):
    return ChangesFile.text(ChangesFile.content(robot, changes))


changes_of_text = ChangesFile("").of_text


def test_all_kinds_are_read_as_they_were_written(gripper_urdf):
    changes = (
        Payload.of("left_branch", 0.1 + 0.2, (0.1, 1e-17, -3.0), (1e-5, 0.0, 0.0, 1 / 3, 0.0, 1.0)),
        Attachment.of(
            "hand", gripper_urdf + "\n<!-- übrig: \t -->\n", "base", (1, 2, 3, 0.6, 0, 0.8, 0), "g/"
        ),
        Removal("right_branch"),
        Lock({"turn": 0.1, "yes": -1e300}),
    )
    text = text_of_changes("four_link", changes)
    robot, read = changes_of_text(text)
    assert (robot, read) == ("four_link", changes)
    assert read[1].robot.joint_names == ("finger",)


def test_the_next_line_character_is_no_line_break(gripper_urdf):
    """YAML takes it for one wherever a text is not in double quotes."""
    name = "hand\x85"
    urdf = gripper_urdf + "\n<!-- \x85 -->\n"
    changes = (Removal(name), Attachment.of(name, urdf, "base", prefix=name))
    assert changes_of_text(text_of_changes(name, changes)) == (name, changes)


GOOD = "version: 1\nrobot: a\nchanges:\n"
HAND, LOAD = GOOD + "- {kind: attachment, name: a, urdf: ", GOOD + "- {kind: payload, link: a, "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "version: 1 at its top level is needed"),
        ("{", "this is not YAML"),
        (GOOD + "- !!bool a", "a value is none of its tag"),
        ("version: 2\nrobot: a\nchanges: []", "version: 1 at its top level is needed"),
        ("version: 1\nrobot: a", "changes, a list"),
        (GOOD + "- 3", "change 1: kind must be one of payload, attachment"),
        (
            GOOD + "- {kind: removal, name: a}\n- {kind: payload, link: a}",
            r"change 2 \(payload\) has no mass",
        ),
        (LOAD + "mass: x, com: [0, 0, 0], inertia: []}", "no list of numbers"),
        (LOAD + "mass: 1, com: [0, .nan, 0], inertia: []}", "finite numbers"),
        (LOAD + "mass: 1, com: [0, 0, 0], inertia: [1]}", "1 numbers; 6 are"),
        (GOOD + "- {kind: lock, positions: [1]}", "positions: numbers by name"),
        (GOOD + "- " + "1" * 5000, "this is not YAML: Exceeds the limit"),
        (
            GOOD + "- {kind: attachment, name: a, urdf: /etc/passwd, link: b, pose: [], prefix: ''}",
            "begins with '<'",
        ),
        (
            GOOD + "- {kind: attachment, name: a, urdf: <robot, link: b, pose: [0,0,0,0,0,0,0], prefix: ''}",
            "attach: ",
        ),
        (
            GOOD + "- {kind: attachment, name: a, urdf: <r/>, link: b, pose: [0,0,0,2,0,0,0], prefix: ''}",
            "norm 2",
        ),
    ],
)
def test_damage_is_named(text, words):
    with pytest.raises(ChangeFileError, match=words):
        changes_of_text(text)


def test_exponents_are_numbers_and_names_like_them_stay_text():
    """YAML 1.1 takes 5e-05 for a text; written by hand it is a number, and a name is in quotes."""
    load = (
        "{kind: payload, link: a, mass: 1e0, com: [+1e-3, 0, 5e-05], inertia: [5e-05, 0, 0, 5e-5, 0, 1E-4]}"
    )
    _, changes = changes_of_text(f"{GOOD}- {load}\n...\n")
    assert changes == (Payload.of("a", 1.0, (1e-3, 0.0, 5e-5), (5e-5, 0.0, 0.0, 5e-5, 0.0, 1e-4)),)
    named = (Lock({"1e3": 0.5, "yes": 1e-300, "0x10": 1e300}), Removal("5e-05"))
    assert changes_of_text(text_of_changes("1e3", named)) == ("1e3", named)


def test_a_text_that_was_cut_off_anywhere_is_damaged(gripper_urdf):
    load = Payload.of("left_branch", 1.5, (0.0,) * 3, (0.0,) * 6)
    hand = Attachment.of("hand", gripper_urdf, "base", prefix="g/")
    text = text_of_changes("four_link", (load, hand, Lock({"turn": 0.4, "bend": 0.25})))
    assert text.endswith("...\n")
    for length in range(len(text.rstrip())):
        with pytest.raises(ChangeFileError):
            changes_of_text(text[:length])


def test_what_no_request_would_make_is_damage():
    load = "{kind: payload, link: a, mass: 1, com: [0, 0, 0], inertia: [0, 0, 0, 0, 0, 0]}"
    with pytest.raises(ChangeFileError, match="'a' has two payloads; a link has one"):
        changes_of_text(f"{GOOD}- {load}\n- {load}\n...\n")
    with pytest.raises(ChangeFileError, match=r"change 1 \(payload\) has keys that are not known: 'wight'"):
        changes_of_text(f"{GOOD}- {load[:-1]}, wight: 3}}\n...\n")
