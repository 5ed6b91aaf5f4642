"""Bodies that share the memory of their motions: nobody reads what another has written over it."""

from hypothesis import HealthCheck, given

import modular_dynamics as md
from benchmark.setting.robots import random_tree, seven_joint_arm
from helpers.random_examples.examples import examples
from helpers.random_examples.joint_trees import JointTree, joint_trees
from modular_dynamics.dynamics.arrays.model_arrays import topology_of
from modular_dynamics.dynamics.arrays.motion_places import with_motion_places
from modular_dynamics.kernels import layout
from modular_dynamics.kernels.recursions.torques.layout import PLACE


def places_of(graph):
    """How many places there are, after every body has found its parent's motion where it looks for it."""
    topology = with_motion_places(topology_of(graph, frozenset()))
    ground = len(topology) - 1
    written = {int(topology[ground, PLACE]): ground}
    for body, row in enumerate(topology[:-1]):
        parent = row[layout.PARENT]
        assert written[int(topology[parent, PLACE])] == parent
        written[int(row[PLACE])] = body
    return len(written)


@examples(60, suppress_health_check=list(HealthCheck))
@given(tree=joint_trees(largest=25))
def test_every_body_reads_its_parents_motion(tree: JointTree):
    assert places_of(md.load_urdf(tree.urdf)) >= 1


def test_few_places_are_enough(load_robot):
    """As many as motions are still needed at the same time, however many bodies there are."""
    assert places_of(md.load_urdf(seven_joint_arm())) == 1
    assert places_of(load_robot("branched_38dof")) <= 5
    assert places_of(md.load_urdf(random_tree(38))) <= 8
