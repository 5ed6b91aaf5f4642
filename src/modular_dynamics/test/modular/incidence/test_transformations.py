"""Direct and indirect transformations: Table III, and Pinocchio's poses."""

import numpy as np
import pytest

from helpers.paths import ROOT
from helpers.random_examples.assemblies import random_assembly
from helpers.random_examples.examples import some
from helpers.robots.paper_organism import DIRECT, INDIRECT, organism
from modular_dynamics import modular
from modular_dynamics.algebra import to_rotation_translation
from modular_dynamics.exceptions import StateError

#: Products of 40 matrices whose entries are about 1.
ROUNDING = 1e-13


def test_the_papers_organism_has_the_lists_of_table_3():
    direct, indirect = organism().direct_transformations(), organism().indirect_transformations()
    assert tuple(direct) == DIRECT
    assert tuple(indirect) == INDIRECT
    assert (direct[3].i, direct[3].j, direct[3].face_from, direct[3].face_to) == (3, 4, 4, 3)
    assert direct.by_name[3] == ("v3", "v4", 4, 3)
    assert indirect.by_name[-1] == (("v0", "v8"), ("v0", "v7"), ("v7", "v8"))
    assert (indirect[2].ij, indirect[2].ix, indirect[2].xj) == INDIRECT[2]


def test_dockings_at_one_module_come_in_the_order_in_which_they_were_made():
    assembly = modular.Assembly(base=("a", "backbone")).dock("a", 3, "b", 4, kind="scout")
    assembly = assembly.dock("a", 4, "c", 3, kind="backbone").dock("b", 3, "d", 4, kind="backbone")
    assembly = assembly.dock("b", 2, "e", 5, kind="block")
    direct = assembly.direct_transformations().by_name
    assert [row.i + row.j for row in direct] == ["ab", "bd", "be", "ac"]
    assert list(assembly.indirect_transformations()) == [((0, 3), (0, 1), (1, 3)), ((0, 4), (0, 1), (1, 4))]


def test_lists_print_as_on_the_page():
    page = (ROOT / "docs/reference/incidence_matrices.md").read_text("utf-8")
    direct, indirect = str(organism().direct_transformations()), str(organism().indirect_transformations())
    assert direct.splitlines()[:2] == ["i  j  from  to", "0  1     3   2"]
    assert indirect.splitlines()[:2] == ["i  j  i  x  x  j", "0  2  0  1  1  2"]
    assert f"```text\n{direct}\n```" in page
    assert f"```text\n{indirect}\n```" in page


def pinocchio_poses(assembly, q):
    """The frame of each module's first body in the world, by Pinocchio."""
    pinocchio = pytest.importorskip("pinocchio")
    from modular_dynamics.crosscheck import PinocchioModel

    model = PinocchioModel(assembly.graph())
    pinocchio.framesForwardKinematics(model.model, model.data, model.q(q))
    poses = []
    entered = {docking.module: docking.port for docking in assembly.dockings}
    for name, kind in assembly.kinds.items():
        into = kind.ports[entered[name]].body if name in entered and not kind.entry_steps else kind.root
        frame = model.model.getFrameId(f"{name}/{into}")
        pose = model.data.oMf[frame].homogeneous.copy()
        pose[:3, 3] -= pose[:3, :3] @ joint_origin(kind, into, name in entered)
        poses.append(pose)
    return poses


def joint_origin(kind, body, docked):
    """Where a body's frame is in its module's: at the origin of the joint that moves it."""
    moving = [step.joint for step in kind.entry_steps if step.child == body and docked]
    return moving[0].origin if moving else np.zeros(3)


@pytest.mark.parametrize("seed", some(range(50)))
def test_poses_are_pinocchios(seed):
    assembly = organism() if seed == 0 else random_assembly(seed)
    graph, rng = assembly.graph(), np.random.default_rng(seed)
    q = (
        graph.random_configuration(rng)
        if seed % 2
        else graph.integrate(graph.neutral(), rng.normal(size=graph.nv))
    )
    world = pinocchio_poses(assembly, q)
    direct, indirect = assembly.direct_transformations(), assembly.indirect_transformations()
    for rows in (direct, indirect):
        poses = rows.poses(q)
        assert poses.shape == (len(rows), 4, 4)
        for (i, j), pose in zip([row.ij for row in rows], poses, strict=True):
            np.testing.assert_allclose(pose, np.linalg.inv(world[i]) @ world[j], rtol=0.0, atol=ROUNDING)


def test_a_backbones_pose_is_eq_18():
    assembly = modular.Assembly(base=("a", "backbone")).dock("a", 3, "b", 2, kind="backbone")
    pose = assembly.direct_transformations().poses([0.3])[0]
    c, s = np.cos(0.3), np.sin(0.3)
    # b is an edge in front of a with its face 2, along y, towards a: its y axis is a's -x, its x axis a's y
    zero = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    bend = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    np.testing.assert_allclose(pose[:3, :3], zero @ bend, atol=1e-15)
    np.testing.assert_allclose(pose[:3, 3], [0.09, 0.0, 0.0], atol=1e-15)
    x = assembly.graph().link_pose("a/cube")[1]
    assert np.array_equal(to_rotation_translation(x)[0], np.eye(3))  # a's frame is the world's


def test_bad_positions_are_refused():
    for q in (np.zeros(7), np.zeros((8, 1)), ["a"] * 8, np.where(np.arange(8) == 5, np.nan, 0.0)):
        for rows in (organism().direct_transformations(), organism().indirect_transformations()):
            with pytest.raises(StateError, match=r"^q"):
                rows.poses(q)
