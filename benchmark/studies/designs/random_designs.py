"""Random designs of the care robot's torso in one batch, beside each of them as a robot of its own.

    python -m benchmark.studies.designs.random_designs [--designs 200] [--states 20] [--seed 0]

Each design is written to a URDF. Compared are the batch with parameters as columns; the single calls of the
robot that is loaded from this file; MuJoCo with equality constraints, which loads it as well; and, by the
rules of Goncalves et al., all that acts on each of the 24 bodies against their Newton-Euler equations.
"""

import argparse

import numpy as np
from rich.console import Console
from rich.progress import track

import modular_dynamics as md
from benchmark.peers.mujoco_loops import MujocoLoops
from benchmark.setting.robots import ROOT, Array
from modular_dynamics.loops import ReactionSharing, read_rules
from papers.charmie_torso.torso_mujoco import (
    equilibrium_residuals,
    reactions_in_three_ways,
    with_mounts_at_rest,
)

#: By how much parameters vary to either side of the published ones.
RANGES = {
    "spring sr4 stiffness": 700.0,
    "spring sl4 stiffness": 700.0,
    "spring sr4 free length": 0.02,
    "spring s5 stiffness": 500.0,
    "spring s5 free length": 0.02,
    "spring s5 initial force": 10.0,
    "spring sr4 first anchor z": 0.02,
    "spring s5 first anchor y": 0.02,
    "loop joint act5_pin successor y": 0.02,
    "joint act5_pivot origin y": 0.02,
    "joint act4_pivot origin z": 0.02,
    "link body_5 mass": 2.0,
    "link body_4 com z": 0.05,
}


def random_parameters(graph: md.SubsystemGraph, count: int, rng: np.random.Generator) -> dict[str, Array]:
    """Columns of RANGES around the published values."""
    return {
        name: graph.parameters[name].value + width * rng.uniform(-1.0, 1.0, count)
        for name, width in RANGES.items()
    }


def differences(designs: int, states: int, seed: int) -> dict[str, float]:
    """The largest difference of each kind: torques relative to the largest one, residuals in N and N m."""
    graph, rng = md.load_urdf(ROOT / "urdf/charmie_torso.urdf"), np.random.default_rng(seed)
    sharing = ReactionSharing(read_rules(ROOT / "urdf/charmie_torso_rules.yaml"))
    names = graph.independent_joint_names
    spread = np.array([0.02 if name.startswith("act") else 1.0 for name in names])
    parameters = random_parameters(graph, designs, rng)
    q, v, a = spread * rng.uniform(-1.0, 1.0, (3, designs, states, len(names)))
    batch = md.InverseDynamics(graph).solve_many(q, v, a, errors="raise", parameters=parameters)
    worst = dict.fromkeys(("single calls", "MuJoCo", "equilibrium"), 0.0)
    for k in track(range(designs), "designs"):
        changed = graph.with_parameters({name: column[k] for name, column in parameters.items()})
        text = changed.to_urdf().replace(' rpy="0.0 0.0 0.0"', "")
        robot, mounted = md.load_urdf(text), md.load_urdf(with_mounts_at_rest(text))
        mounted_names = mounted.independent_joint_names
        at = [mounted_names.index(name) for name in names]
        peer = MujocoLoops(mounted.urdf, mounted_names)
        for i in range(states):
            state, own = (q[k, i], v[k, i], a[k, i]), batch.tau[k, i]
            size = np.abs(own).max()
            single = md.InverseDynamics(robot).solve(*state, guess=batch.coordinates[k, i])
            worst["single calls"] = max(worst["single calls"], np.abs(single.tau - own).max() / size)
            wider = np.zeros((3, len(mounted_names)))  # mounts at rest
            wider[:, at] = state
            peer(*wider)
            worst["MuJoCo"] = max(worst["MuJoCo"], np.abs(peer.tau[at] - own).max() / size)
            full = md.InverseDynamics(mounted).solve(*wider)
            by_rules = reactions_in_three_ways(mounted, full, sharing, peer)["rules"]
            residuals = equilibrium_residuals(peer, by_rules).values()
            worst["equilibrium"] = max(worst["equilibrium"], *(np.abs(x).max() for x in residuals))
    return worst


def main() -> None:
    """Print the differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--designs", type=int, default=200, help="(200)")
    parser.add_argument("--states", type=int, default=20, help="of each design (20)")
    parser.add_argument("--seed", type=int, default=0, help="(0)")
    options = parser.parse_args()
    worst = differences(options.designs, options.states, options.seed)
    console = Console()
    console.print(f"{options.designs} designs x {options.states} states, largest differences:")
    console.print(
        f"  batch and single calls of the robot written to URDF: {worst['single calls']:.1e} relative"
    )
    console.print(f"  batch and MuJoCo's equality constraints: {worst['MuJoCo']:.1e} relative")
    console.print(f"  equilibrium of 24 bodies by the rules: {worst['equilibrium']:.1e} N, N m")


if __name__ == "__main__":
    main()
