"""Rotor inertia, springs, friction, a ball joint
==============================================

Rotor inertia, a spring and friction at joints, and a ball joint: stated beside a URDF.

Prints::

    leg: 1 subsystems, 2 moving joints, nq = 5, nv = 4, moving mass 7 kg
    └─ hip (2 joints) at link pelvis of the ground
          hip: spherical, pelvis → thigh
          knee: continuous about [0, 1, 0], thigh → shank
    knee: rotor and spring add 10.500 = 0.05 * 10 + 20 * (0.8 - 0.3) N m
    knee: friction adds 0.700 = 0.1 * 2 + 0.5 N m
    forward dynamics inverts inverse dynamics to 1e-12: True
"""

import numpy as np

import modular_dynamics as md

LEG = """<robot name="leg"><link name="pelvis"/>
  <link name="thigh"><inertial><origin xyz="0 0 -0.2"/><mass value="4"/>
    <inertia ixx="0.06" ixy="0" ixz="0" iyy="0.06" iyz="0" izz="0.01"/></inertial></link>
  <link name="shank"><inertial><origin xyz="0 0 -0.2"/><mass value="3"/>
    <inertia ixx="0.04" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.01"/></inertial></link>
  <joint name="hip" type="floating"><parent link="pelvis"/><child link="thigh"/></joint>
  <joint name="knee" type="continuous"><parent link="thigh"/><child link="shank"/>
    <origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/><dynamics damping="0.1" friction="0.5"/></joint></robot>"""
JOINTS = {
    "version": 1,
    "spherical": ["hip"],
    "joint_dynamics": [{"joint": "knee", "armature": 0.05, "stiffness": 20.0, "rest_position": 0.3}],
}

bare, graph = md.load_urdf(LEG, {"version": 1, "spherical": ["hip"]}), md.load_urdf(LEG, JOINTS)
print(graph)
q = np.array([1.0, 0.0, 0.0, 0.0, 0.8])  # of the hip a quaternion, w x y z
v, a = np.array([0.1, 0.2, 0.0, 2.0]), np.array([0.0, 0.0, 0.0, 10.0])
of_bodies, tau = (md.inverse_dynamics(one, q, v, a) for one in (bare, graph))
print(f"knee: rotor and spring add {(tau - of_bodies)[3]:.3f} = 0.05 * 10 + 20 * (0.8 - 0.3) N m")
with_friction = md.inverse_dynamics(graph, q, v, a, friction="urdf")
print(f"knee: friction adds {(with_friction - tau)[3]:.3f} = 0.1 * 2 + 0.5 N m")
error = np.abs(md.forward_dynamics(graph, q, v, with_friction, friction="urdf") - a).max()
print("forward dynamics inverts inverse dynamics to 1e-12:", error < 1e-12)
