"""What is refused before a launch starts anything."""

import pytest

from modular_dynamics_ros.launch_checks import checked_namespace, checked_topic

pytestmark = pytest.mark.ros


@pytest.mark.parametrize("name", ["joint_states", "/joint_states", "arm/joint_states", "~/effort_commands"])
def test_topics(name):
    assert checked_topic("joint_states", name) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("joint states", "must not contain characters"),
        ("/a//b", "must not contain repeated '/'"),
        ("/effort-controller/commands", "must not contain characters"),
        ("/arm/", "must not end with"),
        ("1a", "must not start with a number"),
    ],
)
def test_names_that_are_no_topics_are_refused_with_their_argument(name, words):
    with pytest.raises(ValueError, match=f"launch argument reference is '{name}': .*{words}"):
        checked_topic("reference", name)


def test_namespaces():
    names = {"": "", "/": "", "left": "/left", "/left/arm/": "/left/arm"}
    assert {name: checked_namespace(name) for name in names} == names
    for name in ("1left", "left-arm", "a//b"):
        with pytest.raises(ValueError, match=f"launch argument namespace is '{name}': namespace must not"):
            checked_namespace(name)
