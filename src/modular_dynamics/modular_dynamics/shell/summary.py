"""The parts of a robot: numbers of the whole, subsystems with masses, joints with limits."""

from typing import Any

from ..model import Joint, SubsystemGraph, closing_elements
from .tables import number, printable, table

__all__ = ["joint_records", "robot_record", "subsystem_records", "summary_lines"]


def robot_record(graph: SubsystemGraph) -> dict[str, Any]:
    """Name, sizes, mass [kg] without that of black boxes, gravity [m/s^2]."""
    return {
        "name": graph.name,
        "subsystems": len(graph.subsystems),
        "joints": len(graph.joints),
        "nq": graph.nq,
        "nv": graph.nv,
        "moving_mass": sum(one["mass"] or 0.0 for one in subsystem_records(graph)),
        "gravity": [float(value) for value in graph.gravity],
        "root_link": graph.ground.name,
        "closing": {kind: list(names) for kind, names in closing_elements(graph).items()},
    }


def subsystem_records(graph: SubsystemGraph) -> list[dict[str, Any]]:
    """Return each subsystem with its mass [kg], None for black boxes, and where it is connected."""
    return [
        {
            "name": one.name,
            "black_box": one.black_box,
            "joints": len(one.joints),
            "mass": None if one.black_box else sum(graph.bodies[k].mass for k in one.indices),
            "connection_link": one.connection.link,
            "predecessor": None if one.predecessor is None else graph.subsystems[one.predecessor].name,
        }
        for one in graph.subsystems
    ]


def joint_records(graph: SubsystemGraph) -> list[dict[str, Any]]:
    """Return each moving joint with limits (None if missing) and the mass of its body alone [kg].

    In black boxes the mass is None: it is not used.
    """
    return [_joint(graph, k, joint) for k, joint in enumerate(graph.joints)]


def _joint(graph: SubsystemGraph, k: int, joint: Joint) -> dict[str, Any]:
    limits, subsystem = joint.limits, next(one for one in graph.subsystems if k in one.indices)
    return {
        "name": joint.name,
        "type": joint.type.value,
        "subsystem": subsystem.name,
        "parent": joint.parent_link,
        "child": joint.child_link,
        "mass": None if subsystem.black_box else graph.bodies[k].mass,
        "lower": limits.lower,
        "upper": limits.upper,
        "velocity": limits.velocity,
        "effort": limits.effort,
        "mimics": joint.mimic.joint if joint.mimic else None,
    }


def summary_lines(graph: SubsystemGraph) -> list[str]:
    """Return the whole summary as text."""
    whole = robot_record(graph)
    gravity = ", ".join(number(value) for value in whole["gravity"])
    lines = [
        f"{printable(graph.name)}: {whole['subsystems']} subsystems, {whole['joints']} moving joints, "
        f"nq = {graph.nq}, nv = {graph.nv}",
        f"moving mass {number(whole['moving_mass'])} kg, root link {printable(graph.ground.name)}, "
        f"gravity [{gravity}] m/s^2",
        *(printable(f"{kind}: {', '.join(names)}") for kind, names in whole["closing"].items() if names),
        "",
        "subsystems",
    ]
    head = ("name", "joints", "mass [kg]", "at link", "of")
    rows = [
        (
            one["name"] + (" (black box)" if one["black_box"] else ""),
            str(one["joints"]),
            number(one["mass"]),
            one["connection_link"],
            one["predecessor"] or "the ground",
        )
        for one in subsystem_records(graph)
    ]
    lines += table(head, rows, right=("joints", "mass [kg]"))
    return [*lines, "", "joints (rad or m, rad/s or m/s, N m or N)", *_joint_table(graph)]


def _joint_table(graph: SubsystemGraph) -> list[str]:
    numbers = ("mass [kg]", "lower", "upper", "velocity", "effort")
    head = ("name", "type", "subsystem", "parent", "child", *numbers)
    rows = [
        (
            one["name"],
            one["type"] + (f", mimics {one['mimics']}" if one["mimics"] else ""),
            one["subsystem"],
            one["parent"],
            one["child"],
            *(number(one[key]) for key in ("mass", "lower", "upper", "velocity", "effort")),
        )
        for one in joint_records(graph)
    ]
    return table(head, rows, right=numbers)
