"""Blocks of loops that share no dependent coordinate: J_d is block-diagonal, and nothing else changes."""

import numpy as np
import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from benchmark.setting.spatial_linkages import spatial_linkages
from helpers.robots.parallel_mechanisms import ankle, bricard, delta, sarrus
from modular_dynamics.closure import solver_of
from modular_dynamics.closure.constraints import constraint_system
from modular_dynamics.closure.constraints.constraint_system import ConstraintSystem
from modular_dynamics.kernels.loops.blocks import DEPENDENT, INDEPENDENT, MOTIONS, ROWS, Blocks

PUBLISHED = ("charmie_torso", "exoskeleton", "four_bar", "slider_crank", "crane")


def two_ankles():
    return ankle(ankle(tag="_a"), "_b", (0.0, 1.0, 0.0))


MECHANISMS = {make.__name__: make for make in (ankle, bricard, delta, sarrus, two_ankles)}


@pytest.fixture(params=[*PUBLISHED, *MECHANISMS, "spatial_linkages"])
def graph(request, load_robot):
    if request.param in MECHANISMS:
        return md.load_urdf(MECHANISMS[request.param]().urdf())
    return spatial_linkages(4) if request.param == "spatial_linkages" else load_robot(request.param)


def one_block(graph, rows, dependent_v, T, given_v):
    """All rows and coordinates together."""
    members = [np.arange(k) for k in (len(rows.names), *T.shape, *map(len, given_v))]
    bounds = np.array([[0] * 5, [len(one) for one in members]])
    ordered_rows, dependent, motions, single, independent = members
    return Blocks(bounds, ordered_rows, dependent, dependent_v, motions, single, independent)


def test_no_coordinate_moves_rows_of_another_block(graph):
    system, rng = ConstraintSystem(graph), np.random.default_rng(0)
    split, blocks = system.split, system.split.blocks
    for members, count in ((blocks.rows, len(split.row_scale)), (blocks.dependent, len(split.dependent_v))):
        assert sorted(members) == list(range(count))
    assert sorted(blocks.motions) == list(range(split.T.shape[1]))
    q = graph.neutral()
    q += rng.normal(size=len(q))
    J = system.evaluate(q).J
    for b in range(len(blocks.bounds) - 1):
        rows, own, given = (
            members[slice(*blocks.bounds[b : b + 2, kind])]
            for members, kind in (
                (blocks.rows, ROWS),
                (blocks.columns, DEPENDENT),
                (split.independent_v[blocks.independent], INDEPENDENT),
            )
        )
        assert not np.delete(J[rows], [*own, *given], axis=1).any()
        motions = blocks.motions[slice(*blocks.bounds[b : b + 2, MOTIONS])]
        others = np.setdiff1d(np.arange(len(split.dependent_v)), np.searchsorted(split.dependent_v, own))
        assert not split.T[np.ix_(others, motions)].any()


def test_results_are_those_of_all_loops_together(graph, monkeypatch):
    rng, solver = np.random.default_rng(0), solver_of(graph)
    start = solver.reference()
    q = start[solver.independent_q] + 0.01 * rng.normal(size=len(solver.independent_q))
    v, vdot = rng.normal(size=(2, len(solver.independent_v)))
    found = solver.inverse_dynamics_at(q, v, vdot, start)
    monkeypatch.setattr(constraint_system, "blocks_of", one_block)
    together = md.load_urdf(graph.to_urdf())
    expected = solver_of(together).inverse_dynamics_at(q, v, vdot, start)
    assert len(solver_of(together).system.split.blocks.bounds) == 2
    assert found.rank == expected.rank
    assert found.condition == pytest.approx(expected.condition, rel=1e-6)
    for name in ("tau", "multipliers", "coordinates", "velocities", "accelerations", "projection"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9 * max(1.0, np.abs(other).max())), name


@pytest.mark.parametrize(("name", "blocks"), [("ankle", 1), ("two_ankles", 2), ("bricard", 1), ("sarrus", 1)])
def test_loops_with_a_common_passive_joint_are_one_block(name, blocks):
    system = ConstraintSystem(md.load_urdf(MECHANISMS[name]().urdf()))
    assert len(system.split.blocks.bounds) == blocks + 1


def test_a_chain_has_a_block_for_each_loop():
    system = ConstraintSystem(spatial_linkages(20))
    assert np.diff(system.split.blocks.bounds, axis=0).tolist() == [[3, 3, 3, 1, 1]] * 20


def test_a_chain_against_mujoco():
    """Three of Bricard's linkages, each on the rod of the one before."""
    builder = bricard(bricard(bricard(tag="_0"), "_1", "rod_0"), "_2", "rod_1")
    graph, rng = md.load_urdf(builder.urdf()), np.random.default_rng(3)
    v, vdot = rng.normal(size=(2, 10, 3))
    q = solver_of(graph).reference()[solver_of(graph).independent_q] + 0.05 * rng.normal(size=(10, 3))
    batch = md.closed_loop_inverse_dynamics_batch(graph, q, v, vdot, errors="raise")
    peer = MujocoLoops(builder.urdf(), graph.independent_joint_names)
    for k, state in enumerate(zip(q, v, vdot, strict=True)):
        near = dict(zip(graph.joint_names, batch.coordinates[k], strict=True))
        peer.data.qpos[:] = [round(near[name], 1) for name in peer.names]  # of the same assembly mode
        peer(*state)
        assert batch.tau[k] == pytest.approx(peer.tau, abs=1e-9 * np.abs(peer.tau).max())
