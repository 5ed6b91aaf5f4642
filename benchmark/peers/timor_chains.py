"""timor-python's assemblies: time until the first torque after a module is added. Runs in timor's own Python.

    PYTHON benchmark/peers/timor_chains.py MODULES ...

Prints one line of JSON for each number of modules: milliseconds of adding one module to a chain, building
the robot and its first inverse dynamics, and microseconds of one inverse dynamics. Nothing of this project is
imported: timor-python needs other versions of its libraries. Its import downloads schemata once.
"""

import json
import statistics
import sys
import time

import numpy as np
import pinocchio as pin
from timor import AtomicModule, Body, Connector, Joint, ModuleAssembly, ModuleHeader, ModulesDB
from timor.Geometry import Box
from timor.utilities.transformation import Transformation

EDGE, MASS = 0.09, 0.6  # of a cube [m, kg], as Backbone's
REPEATS = 5
TORQUES = 200  # evaluations of which the mean is taken


def cube(name: str, connectors: list[Connector]) -> Body:
    """A solid cube about its centre."""
    inertia = pin.Inertia(MASS, np.zeros(3), MASS * EDGE**2 / 6.0 * np.eye(3))
    return Body(name, Box({"x": EDGE, "y": EDGE, "z": EDGE}), connectors=connectors, inertia=inertia)


def connector(name: str, side: float, gender: str, kind: str = "dock") -> Connector:
    """On the upper (1) or lower (-1) face, outwards."""
    turned = Transformation.from_rotation(np.diag([1.0, -1.0, -1.0]))
    place = Transformation.from_translation([0.0, 0.0, 0.5 * side * EDGE])
    return Connector(name, place if side > 0.0 else place @ turned, gender=gender, connector_type=kind)


def modules() -> ModulesDB:
    """A base of one cube, and a module of two bodies with a hinge between them."""
    base = cube("ground", [connector("foot", -1.0, "f", "base"), connector("top", 1.0, "f")])
    flange = Body("flange", Box({"x": EDGE, "y": EDGE, "z": 0.01}), connectors=[connector("in", -1.0, "m")])
    moving = cube("cube", [connector("out", 1.0, "f")])
    across = Transformation.from_rotation(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))
    hinge = Joint(
        "bend", "revolute", flange, moving, q_limits=np.array([-1.5, 1.5]), parent2joint=across,
        joint2child=across.inv,
    )  # fmt: skip
    kinds = ("base", [base], []), ("backbone", [flange, moving], [hinge])
    return ModulesDB([AtomicModule(ModuleHeader(name, name), *parts) for name, *parts in kinds])


def measure(database: ModulesDB, count: int) -> dict[str, float]:
    """Of a chain of ``count`` modules with hinges; medians."""
    times, evaluation = [], 0.0
    for _ in range(REPEATS):
        chain = ["base", *["backbone"] * (count - 1)]
        # "rigid" leaves out the search for neighbours that cannot collide: most of the default's time
        assembly = ModuleAssembly.from_serial_modules(database, chain, ignore_collisions="rigid")
        assembly.robot  # noqa: B018  (built and kept, as that of a robot in use)
        ends = [key for key in assembly.free_connectors if key[-1] == "out"]
        rest = np.zeros(count)
        began = time.perf_counter()
        assembly.add(database.by_id["backbone"], "in", count - 1, ends[0])
        robot = assembly.robot
        robot.id(rest, rest, rest)
        times.append(1e3 * (time.perf_counter() - began))
        began = time.perf_counter()
        for _ in range(TORQUES):
            robot.id(rest, rest, rest)
        evaluation = 1e6 * (time.perf_counter() - began) / TORQUES
    return {"modules": count, "first_torque_ms": statistics.median(times), "inverse_dynamics_us": evaluation}


if __name__ == "__main__":
    known = modules()
    for number in sys.argv[1:]:
        print(json.dumps(measure(known, int(number))), flush=True)
