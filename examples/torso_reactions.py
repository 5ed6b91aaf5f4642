"""Reactions of an over-constrained mechanism
==========================================

Reactions in an over-constrained mechanism: the care robot's torso, shared by the paper's rules.

Prints::

    redundant constraint rows: 12
    spring sr4: 108.02 N
    spring sl4: 108.02 N
    spring s5: 30.74 N
    force on the base [N]: [  0.    0.  545.4]
    act4 pushes with 58.95 N
    act5 pushes with 15.65 N
"""

from pathlib import Path

import modular_dynamics as md
from modular_dynamics.loops import RobotReactions, joint_reactions, read_rules

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "charmie_torso.urdf")
rules = read_rules(ROBOTS / "charmie_torso_rules.yaml")
rest = [0.0] * len(graph.independent_joint_names)
dynamics = md.InverseDynamics(graph).solve(rest, rest, rest)
print("redundant constraint rows:", dynamics.redundant)
for name, tension in dynamics.tensions.items():
    print(f"spring {name}: {tension:.2f} N")
reactions = joint_reactions(graph, dynamics)  # of every joint; redundant ones by the least norm
print("force on the base [N]:", reactions["base_yaw"].force.round(1))
shared = RobotReactions(graph, rules)(dynamics).by_name(rules)  # redundant ones by the rules
for actuator in ("act4", "act5"):
    print(f"{actuator} pushes with {shared.components[actuator, 'push']:.2f} N")
