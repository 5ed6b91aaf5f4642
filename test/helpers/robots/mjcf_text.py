"""Small MJCF models, written for tests, and random ones."""

import mujoco
import numpy as np

#: A planar four-bar. At the reference position the coupler's end is at the rocker's.
FOUR_BAR = """<mujoco model="four bar">
  <compiler autolimits="true"/>
  <default><geom type="capsule" size="0.01" density="900"/><joint axis="0 1 0"/></default>
  <worldbody>
    <body name="crank">
      <joint name="crank"/><geom fromto="0 0 0 0 0 0.2"/>
      <body name="coupler" pos="0 0 0.2"><joint name="coupler"/><geom fromto="0 0 0 0.5 0 0.1"/></body>
    </body>
    <body name="rocker" pos="0.4 0 0"><joint name="rocker"/><geom fromto="0 0 0 0.1 0 0.3"/></body>
  </worldbody>
  <equality>{equality}</equality>
  <actuator>{actuator}</actuator>
</mujoco>"""
CONNECT = '<connect name="pin" body1="coupler" body2="rocker" anchor="0.5 0 0.1"/>'
MOTOR = '<motor joint="crank" gear="2" forcerange="-3 3"/>'


def four_bar(equality=CONNECT, actuator=MOTOR):
    """The four-bar with these equality constraints and actuators."""
    return FOUR_BAR.format(equality=equality, actuator=actuator)


def two_arms(equality="", joints=("", ""), more=""):
    """Two pendulums, `first` with a second link `tip`, on the world."""
    return f"""<mujoco model="two arms"><worldbody>
      <body name="first" pos="0.1 0.2 0.3" quat="0.8 0.1 0.2 0.3">
        <joint name="a" axis="1 2 3" {joints[0]}/><geom size="0.1" pos="0.1 0.2 0.1"/>
        <body name="tip" pos="0.3 0 0"><joint name="c" axis="0 1 1"/><geom size="0.05" pos="0 0.1 0"/></body>
      </body>
      <body name="second" pos="1 0 0"><joint name="b" type="slide" axis="1 1 0" {joints[1]}/>
        <geom type="box" size="0.1 0.2 0.3" pos="0 0.1 0"/></body>
      </worldbody><equality>{equality}</equality>{more}</mujoco>"""


def random_tree(seed, kinds="hs", bodies=6, terms=False, free=False):
    """A random tree: up to three joints at a body, anchors anywhere, ref, bodies without joints.

    ``kinds``: of joints, from h (hinge), s (slide), b (ball). ``terms``: with armature and springs.
    """
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    spec.modelname = f"random {seed}"
    spec.compiler.degree = False
    spec.option.gravity = rng.normal(size=3)
    placed = [spec.worldbody]
    for number in range(bodies):
        parent = placed[int(rng.integers(len(placed)))]
        body = parent.add_body(name=f"body{number}", pos=rng.normal(size=3), quat=rng.normal(size=4))
        body.mass, body.ipos, body.iquat = rng.uniform(0.5, 2.0), rng.normal(size=3), rng.normal(size=4)
        body.inertia = rng.uniform(1.0, 1.9, 3)
        body.explicitinertial = True
        placed.append(body)
        if free and parent is spec.worldbody and number % 2 == 0:
            body.add_freejoint(name=f"free{number}")
            continue
        for count in range(int(rng.integers(0, 4))):
            kind = str(rng.choice(list(kinds)))
            if kind == "b" and count:
                break  # MuJoCo allows nothing after a ball in some versions
            _add_joint(rng, body, f"{kind}{number}{count}", kind, terms)
            if kind == "b":
                break
    return spec


def _add_joint(rng, body, name, kind, terms):
    types = {"h": "HINGE", "s": "SLIDE", "b": "BALL"}
    joint = body.add_joint(name=name, type=getattr(mujoco.mjtJoint, f"mjJNT_{types[kind]}"))
    joint.pos = rng.normal(size=3) * rng.integers(0, 2)
    if kind != "b":
        joint.axis, joint.ref = rng.normal(size=3), rng.normal()
    if terms:
        joint.armature = rng.uniform(0.1, 1.0)
        if kind != "b":
            joint.springref, stiffness = rng.normal(), rng.uniform(1.0, 9.0)
            joint.stiffness = [stiffness, 0.0, 0.0] if np.ndim(joint.stiffness) else stiffness
