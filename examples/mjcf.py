"""A four-bar in MJCF: MuJoCo compiles it, its equality constraint becomes a loop joint. Needs the extra `mjcf`.

Prints:
    MJCF four-bar: 2 subsystems, 3 moving joints, nq = 3, nv = 3, moving mass 0.322 kg
    loop joints: pin; passive joints: coupler, rocker
    torque of the crank 0.1... N m, loops closed to 1e-12: True
"""

import numpy as np

import modular_dynamics as md

MJCF = """<mujoco model="MJCF four-bar">
  <default><geom type="capsule" size="0.01" density="900"/><joint axis="0 1 0"/></default>
  <worldbody>
    <body><joint name="crank" armature="0.001"/><geom fromto="0 0 0 0 0 0.2"/>
      <body name="rod" pos="0 0 0.2"><joint name="coupler"/><geom fromto="0 0 0 0.5 0 0.1"/></body></body>
    <body name="arm" pos="0.4 0 0"><joint name="rocker"/><geom fromto="0 0 0 0.1 0 0.3"/></body>
  </worldbody>
  <equality><connect name="pin" body1="rod" body2="arm" anchor="0.5 0 0.1"/></equality>
  <actuator><motor joint="crank"/></actuator>
</mujoco>"""

graph = md.load_mjcf(MJCF)
print(str(graph).splitlines()[0])
print(f"loop joints: {graph.loop_joints[0].name}; passive joints: {', '.join(graph.passive_joints)}")
result = md.closed_loop_inverse_dynamics(graph, q=[0.1], v=[1.0], vdot=[0.0], guess=np.zeros(3))
print(f"torque of the crank {result.tau[0]:.4f} N m, ", end="")
print(f"loops closed to 1e-12: {max(result.residual.values()) < 1e-12}")
