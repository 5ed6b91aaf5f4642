"""A node that did not run for a while, as after SIGSTOP and SIGCONT, does not blame its neighbours."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.nodes.subsystem_bus import SubsystemBus, motion, step
from helpers.paths import ROBOTS
from modular_dynamics_ros.subsystem.node import USUAL, OwnPauses

pytestmark = pytest.mark.ros
CHARMIE = str(ROBOTS / "charmie.urdf")
MS = 1_000_000  # [ns]


@pytest.fixture
def bus():
    return SubsystemBus(CHARMIE)


def blamed(bus, name):
    """What a node has logged of its neighbours."""
    logger = bus.sessions[name]._node.log._logger
    calls = [*logger.error.call_args_list, *logger.warning.call_args_list]
    return [call.args[0] for call in calls if call.args[0].startswith("neighbours")]


def freeze_waiting(bus, name, k):
    """Stop a node when it has got the state k and nothing that neighbours say of it."""
    others = bus.sessions.keys() - {name}
    for other in others:
        bus.freeze(other)
    step(bus, k)
    bus.freeze(name)
    for other in others:
        bus.go_on(other)


@pytest.mark.parametrize("frozen", ["base", "torso", "left_arm", "right_arm", "head"])
def test_a_frozen_node_blames_no_neighbour(bus, frozen):
    for k in range(10):
        step(bus, k)
    freeze_waiting(bus, frozen, 10)
    for k in range(11, 310):  # 1.5 s
        step(bus, k)
    bus.go_on(frozen)
    old = bus.torques(1 + 100 * 5 * MS)
    assert not {joint.name for joint in bus.graph.subsystem(frozen).joints} & old.keys()
    for k in range(310, 390):  # longer than the patience
        expected = md.inverse_dynamics(bus.graph, *motion(bus, k), np.zeros(19))
        assert bus.vector(step(bus, k)) == pytest.approx(expected, abs=1e-9)
    assert blamed(bus, frozen) == []


def test_a_neighbour_that_was_lost_meanwhile_is_named_within_stale_after(bus):
    for k in range(10):
        step(bus, k)
    freeze_waiting(bus, "torso", 10)
    for k in range(11, 310):
        if k == 100:
            bus.dead.add("head")
        step(bus, k)
    bus.go_on("torso")
    for k in range(310, 350):
        step(bus, k)
        assert not bus.errors("torso")
    step(bus, 350)  # the first after 0.2 s
    assert "no wrench from subsystem 'head'" in bus.errors("torso")
    assert {text.split("'")[1] for text in blamed(bus, "torso")} == {"head"}


def test_successors_without_a_motion_are_not_silent(bus):
    """The middleware brings the base's motions to the torso late, after it has named the base."""
    for k in range(10):
        step(bus, k)
    bus.freeze("base")
    for k in range(10, 90):
        step(bus, k)
    assert "no motion from subsystem 'base'" in bus.errors("torso")
    bus.dead.add("head")  # it answers none of the motions that come now
    bus.go_on("base")
    for k in range(90, 125):
        step(bus, k)
        assert "'head'" not in bus.errors("torso")
    for k in range(125, 140):  # 0.2 s after the first of them
        step(bus, k)
    assert "'head'" in bus.errors("torso")


def test_a_node_that_stops_again_and_again_still_names_who_is_gone(bus):
    step(bus, 0)
    bus.dead.add("head")
    k = 1
    for _ in range(6):  # it runs for 0.05 s of each 0.25 s
        for _ in range(10):
            k += 1
            step(bus, k)
        bus.freeze("torso")
        for _ in range(40):
            k += 1
            step(bus, k)
        bus.go_on("torso")
    assert "'head'" in bus.errors("torso")


def test_only_what_is_beyond_the_usual_period_is_a_pause():
    pauses, usual = OwnPauses(1000), round(USUAL * 1e9)
    assert [
        pauses.look(1000 + usual),
        pauses.look(1000 + 2 * usual + 7),
        pauses.look(1001 + 2 * usual + 7),
    ] == [
        0,
        7,
        0,
    ]
