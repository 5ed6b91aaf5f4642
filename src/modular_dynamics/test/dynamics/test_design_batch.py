"""Many designs of trees: each as Pinocchio has the robot that is written to URDF."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree


@pytest.mark.parametrize("name", ["branched_38dof", "vendor_arm"])
def test_designs_are_robots_written_to_urdf(name, load_robot):
    graph, rng = load_robot(name), np.random.default_rng(0)
    names = [n for n in graph.parameters if n.endswith((" mass", " com x", " origin z", " origin yaw"))]
    chosen = rng.choice(names, min(6, len(names)), replace=False).tolist()
    parameters = {n: graph.parameters[n].value + rng.uniform(0.0, 0.1, 8) for n in chosen}
    q, v, vdot = rng.uniform(-1.0, 1.0, (3, 8, 5, graph.nq))
    tau = md.inverse_dynamics_batch(graph, q, v, vdot, parameters=parameters)
    for k in range(8):
        changed = graph.with_parameters({n: column[k] for n, column in parameters.items()})
        peer = PinocchioTree(md.load_urdf(changed.to_urdf()))
        for i in range(5):
            expected = peer.inverse_dynamics(q[k, i], v[k, i], vdot[k, i])
            assert tau[k, i] == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def test_friction_armature_and_springs_that_only_designs_have(load_robot):
    graph, rng = load_robot("four_link"), np.random.default_rng(0)
    joint = graph.joint_names[1]
    parameters = {
        f"joint {joint} {quantity}": [0.0, 2.0] for quantity in ("damping", "armature", "stiffness")
    }
    q, v, vdot = rng.normal(size=(3, 2, graph.nq))
    tau = md.inverse_dynamics_batch(graph, q, v, vdot, parameters=parameters, friction="urdf")
    bare = md.inverse_dynamics_batch(graph, q, v, vdot)
    expected = bare.copy()
    expected[1, 1] += 2.0 * (q[1, 1] + v[1, 1] + vdot[1, 1])
    assert tau == pytest.approx(expected, rel=1e-12)


def test_errors_name_the_design(load_robot):
    graph = load_robot("four_link")
    mass = next(name for name in graph.parameters if name.endswith(" mass"))
    state = np.zeros((3, 2, 4))
    with pytest.raises(md.ModelError, match=r"design 1: .*mass"):
        md.inverse_dynamics_batch(graph, *state, parameters={mass: [1.0, -1.0]})
    state[0, 1, 2] = np.nan
    with pytest.raises(md.StateError, match=r"design 1: row 0: .*finite"):
        md.inverse_dynamics_batch(graph, *state, parameters={mass: [1.0, 2.0]})
    with pytest.raises(md.StateError, match="with parameters of 3 designs"):
        md.inverse_dynamics_batch(graph, *state, parameters={mass: [1.0, 2.0, 3.0]})
    with pytest.raises(md.StateError, match="parameters go without"):
        md.inverse_dynamics_batch(graph, *state, parameters={mass: 1.0}, dtype=np.float32)
