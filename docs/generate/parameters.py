"""Tables of the nodes' parameters, from what the nodes declare: the text of --help, by node."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from modular_dynamics_ros.parameters.nodes import (
    AssemblyParameters,
    DynamicsParameters,
    MoveitParameters,
    PlayerParameters,
    ReactionParameters,
    SubsystemParameters,
)
from modular_dynamics_ros.parameters.table import Change, Spec

TABLES: Mapping[str, type] = {
    "dynamics_node": DynamicsParameters,
    "subsystem_node": SubsystemParameters,
    "torso_reaction_node": ReactionParameters,
    "assembly_node": AssemblyParameters,
    "joint_state_player": PlayerParameters,
    "moveit_payload_node": MoveitParameters,
}
#: Parameters of dynamics_node by what they are about, in the order of the page.
GROUPS = {
    "Robot": "robot_description_file xacro_arguments partition_file frame_prefix strict absent_joints "
    "closure_tolerance publish_robot_description autostart",
    "Gravity and base": "gravity gravity_source floating_base",
    "Accelerations": "acceleration_source filter_cutoff reference_type without_reference",
    "Torques": "output friction effort_limits controller_joints crosscheck_rate",
    "Stale input": "stale_after on_stale ramp_time on_stale_external_wrench on_stale_black_box",
    "Black boxes": "reversed_black_boxes black_box_loads offsets_file",
    "Contact and arrows": "external_torque_cutoff force_scale moment_scale",
}
HEAD = "| parameter | default | meaning | may change |\n|---|---|---|---|\n"
CHANGES = {
    Change.ALWAYS: "at run time",
    Change.UNCONFIGURED: "while unconfigured",
    Change.NEVER: "at the start",
}
#: Topics, values NAME:=..., and names with an underscore.
CODE = re.compile(
    r"(?<![\w/`])(~?/?(?:\w+/)*[a-z]+_\w+(?:/\w+)*|~?/[a-z_]+|\w+:=[\w.]+(?: [XYZ])*|[A-Z]+=[A-Z]+)"
)


def make(out: Path) -> None:
    """Write parameters_NODE.md of each node."""
    for node, table in TABLES.items():
        (out / f"parameters_{node}.md").write_text(page(node, table), "utf-8")


def page(node: str, table: type) -> str:
    """Return the table of a node's parameters, for dynamics_node one for each group."""
    entries = {entry.name: entry for entry in fields(table)}
    if node != "dynamics_node":
        return HEAD + rows(entries.values())
    if without := entries.keys() - set(" ".join(GROUPS.values()).split()):
        raise SystemExit(f"docs/generate/parameters.py: GROUPS lacks {', '.join(sorted(without))}")
    parts = (
        f"**{title}**\n\n{HEAD}{rows(entries[name] for name in names.split())}"
        for title, names in GROUPS.items()
    )
    return "\n".join(parts)


def rows(entries: Iterable[Field[Any]]) -> str:
    """Return a row for each parameter."""
    return "".join(
        f"| `{entry.name}` | {default(entry)} | {meaning(entry.metadata['spec'])} | "
        f"{CHANGES[entry.metadata['spec'].change]} |\n"
        for entry in entries
    )


def default(entry: Field[Any]) -> str:
    """Return the default with its unit; nothing where it is empty."""
    value, unit = entry.default, entry.metadata["spec"].unit
    if value in ("", ()):
        return "empty"
    if isinstance(value, bool | str):
        return f"`{str(value).lower()}`"
    number = str(list(value)) if isinstance(value, tuple) else f"{value:g}"
    return f"{number} {unit}".rstrip()


def meaning(spec: Spec) -> str:
    """Return the description, choices and other names as code, with the allowed numbers."""
    text = CODE.sub(r"`\1`", spec.description)
    for choice in spec.choices or ("true", "false"):
        text = re.sub(rf"(?<![\w`]){choice}(?=:)", f"`{choice}`", text).replace(
            f"``{choice}``", f"`{choice}`"
        )
    if not spec.bounded:
        return text
    return f"{text}. {'0, or ' if spec.or_zero else ''}{spec.low:g} to {spec.high:g} {spec.unit}".rstrip()
