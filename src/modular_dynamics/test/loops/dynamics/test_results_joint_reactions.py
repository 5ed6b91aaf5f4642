"""Reactions of whole mechanisms: every body in equilibrium by another code, nothing about passive axes."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.rigid_bodies import MovingBodies
from helpers.paths import ROBOTS
from helpers.robots.small_torso import load, small_torso_text
from modular_dynamics.loops.dynamics.results import ClosingElements, internal_wrenches, joint_reactions

PLACES = {"four_bar": [0.7], "slider_crank": [0.7], "crane": [0.3, 0.2, 0.2]}

WRENCH = np.array([3.0, -2.0, 5.0, 0.4, 0.1, -0.3])  # from outside on the last body, in its frame


@pytest.fixture(scope="module", params=[*PLACES, "small_torso", "charmie_torso"])
def solved(request):
    name = request.param
    graph = load(small_torso_text() if name == "small_torso" else ROBOTS / f"{name}.urdf")
    rng, n = np.random.default_rng(3), len(graph.independent_joint_names)
    q = PLACES.get(name, 0.02 * rng.normal(size=n))
    external = {graph.bodies[-1].name: WRENCH}
    dynamics = md.InverseDynamics(graph).solve(
        q, *rng.normal(size=(2, n)), guess=None, external_wrenches=external
    )
    return graph, dynamics, joint_reactions(graph, dynamics)


def test_every_body_is_in_equilibrium_by_another_code(solved):
    graph, d, reactions = solved
    oracle = MovingBodies(graph, d.coordinates, d.velocities, d.accelerations)
    names = [body.name for body in graph.bodies]
    owner = {link: body.name for body in graph.bodies for link in body.links}
    for body in names:
        R, about = oracle.frame(body)
        force, moment = oracle.inertial_wrench(body, names, about)
        if body == names[-1]:
            force, moment = force - R @ WRENCH[:3], moment - R @ WRENCH[3:]
        size = max(1.0, np.abs([force, moment]).max())
        for r in reactions.values():
            for link, point, sign in ((r.successor, r.point, 1.0), (r.predecessor, r.start, -1.0)):
                if owner.get(link) == body:
                    force = force - sign * r.force
                    moment = moment - sign * (r.moment + np.cross(point - about, r.force))
        largest = max(size, *(np.abs(r.force).max() for r in reactions.values()))
        assert np.abs([force, moment]).max() < 1e-11 * largest


def test_results_that_a_user_changes_do_not_change_the_next_ones(solved):
    graph, dynamics, _ = solved
    for wrench in internal_wrenches(graph, dynamics).values():
        np.add(wrench, 1.0, out=wrench)
    for reaction in joint_reactions(graph, dynamics).values():
        for array in (reaction.point, reaction.force, reaction.moment):
            np.add(array, 1.0, out=array)
    reactions, loads = joint_reactions(graph, dynamics), internal_wrenches(graph, dynamics)
    again = ClosingElements(graph)(dynamics.coordinates, dynamics.wrenches, dynamics.tensions)
    assert all((loads[link] == wrench).all() for link, wrench in again.on_links.items())
    for name, force, (_, point) in zip(ClosingElements(graph).names, again.forces, again.points, strict=True):
        assert (reactions[name].force == force).all()
        assert (reactions[name].point == point).all()


def test_along_its_axis_a_joint_bears_its_torque_and_a_passive_one_nothing(solved):
    graph, d, reactions = solved
    oracle = MovingBodies(graph, d.coordinates, d.velocities, d.accelerations)
    tau = dict(zip(graph.independent_joint_names, d.tau, strict=True))
    size = max(np.abs([r.force, r.moment]).max() for r in reactions.values())
    for joint in graph.joints:
        axis = oracle.frame(joint.child_link)[0] @ joint.axis
        reaction = reactions[joint.name]
        along = reaction.force if joint.type.value == "prismatic" else reaction.moment
        assert abs(axis @ along - tau.get(joint.name, 0.0)) < 1e-11 * size, joint.name
