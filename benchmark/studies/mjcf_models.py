"""MJCF files, loaded and compared with MuJoCo: `python -m benchmark.studies.mjcf_models FOLDER ...`.

A row for each file: its joints, the largest difference of the tree's torques from mj_inverse in random
states, and of the torques with all loops closed from those by MuJoCo's constraint Jacobian; or why there is
none. Files in which nothing moves or that MuJoCo does not compile, as they are parts of others, are counted
by reason. Meshes that cannot be read are spheres, for both.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
from rich.console import Console

import modular_dynamics as md
from benchmark.peers.mujoco_loops import warn_on_stderr
from benchmark.peers.mujoco_mjcf import loop_differences, tree_difference
from benchmark.report.tables import print_table

TOLERANCE = 1e-10  # relative difference of torques
RADIUS = 0.05  # [m] of a sphere in place of a mesh
COLUMNS = ("model", "joints", "nv", "loops", "gears", "tree", "loops closed ")


@dataclass(frozen=True)
class Row:
    """One file; ``reason``: why it is not loaded or not compared."""

    name: str
    joints: int = 0
    nv: int = 0
    loops: int = 0
    gears: int = 0
    tree: float | None = None
    closed: float | None = None
    reason: str = ""

    @property
    def agrees(self) -> bool:
        """Whether everything that was compared is within the tolerance."""
        return all(value <= TOLERANCE for value in (self.tree, self.closed) if value is not None)


def main() -> None:
    """Print the table; exit with 1 if a loaded model differs from MuJoCo."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    folders = parser.parse_args().folders
    warn_on_stderr()
    rows, skipped = list[Row](), Counter[str]()
    for path in sorted({path for folder in folders for path in folder.rglob("*.xml")}):
        try:
            model = compiled(path)
        except ValueError as error:
            skipped[kind_of(str(error))] += 1
            continue
        if model.njnt == 0:
            skipped["nothing moves"] += 1
        else:
            rows.append(compared(name_of(path, folders), model))
    show(rows, skipped)
    sys.exit(not all(row.agrees for row in rows))


def name_of(path: Path, folders: Iterable[Path]) -> str:
    """The path in its folder, its end if it is long."""
    inside = next(path.relative_to(folder) for folder in folders if path.is_relative_to(folder))
    return str(inside) if len(str(inside)) <= 45 else f"…{str(inside)[-44:]}"


def compiled(path: Path) -> mujoco.MjModel:
    """The model, with spheres for unreadable meshes. Raises ValueError: MuJoCo does not compile it."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        if not any(reason in str(error) for reason in ("opening file", "mesh volume")):
            raise
        return with_spheres(mujoco.MjSpec.from_file(str(path))).compile()


def with_spheres(spec: mujoco.MjSpec) -> mujoco.MjSpec:
    """Spheres for meshes; without materials, sensors, and what else could name them."""
    for geom in spec.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD:
            spec.delete(geom)
            continue
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH or geom.meshname:
            geom.type, geom.size = mujoco.mjtGeom.mjGEOM_SPHERE, [RADIUS, 0.0, 0.0]
        geom.material = geom.meshname = ""
    for element in (*spec.sites, *spec.tendons):
        element.material = ""
    for kind in ("sensors", "pairs", "excludes", "skins", "meshes", "hfields", "materials", "textures"):
        for element in list(getattr(spec, kind)):
            spec.delete(element)
    return spec


def compared(name: str, model: mujoco.MjModel) -> Row:
    """One model's row."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.ModelWarning)
            graph = md.load_mjcf(model)
    except md.ModularDynamicsError as error:
        return Row(name, model.njnt, model.nv, reason=str(error))
    tree, closed, reason = None, None, ""
    try:
        tree = tree_difference(graph, model)
        if graph.tree is not graph and (graph.loop_joints or graph.gears or graph.springs):
            differences = loop_differences(graph, model)
            closed = max(differences)
    except md.ModularDynamicsError as error:
        reason = str(error)
    return Row(
        name, len(graph.joints), graph.nv, len(graph.loop_joints), len(graph.gears), tree, closed, reason
    )


def kind_of(message: str) -> str:
    """MuJoCo's message without names."""
    text = " ".join(message.split())
    for kind in ("opening file", "not found", "unrecognized name", "repeated name", "mjMINVAL"):
        if kind in text:
            return f"MuJoCo does not compile it: … {kind} …"
    return f"MuJoCo does not compile it: {text[:60]}"


def show(rows: list[Row], skipped: Counter[str]) -> None:
    """The table, reasons below it, and the counts."""
    console = Console(width=100)
    print_table(console, "Torques, largest relative difference from MuJoCo", COLUMNS, map(cells, rows))
    for row in rows:
        if row.reason:
            console.print(f"{row.name}: {row.reason}", markup=False, highlight=False)
    agree = sum(row.tree is not None and row.agrees for row in rows)
    complete = sum(not row.reason and row.agrees for row in rows)
    refused = sum(row.tree is None for row in rows)
    console.print(
        f"{len(rows)} models: {agree} trees agree to {TOLERANCE:g}, {complete} of them with loops and gears; "
        f"{refused} refused",
        highlight=False,
    )
    for reason, count in skipped.most_common():
        console.print(f"{count} files left out: {reason}", markup=False, highlight=False)


def cells(row: Row) -> Iterator[str]:
    """The row as text."""
    yield row.name
    for count in (row.joints, row.nv, row.loops, row.gears):
        yield str(count)
    yield "-" if row.tree is None else f"{row.tree:.1e}"
    note = "see below" if row.reason else ""
    yield note if row.closed is None else f"{row.closed:.1e}"


if __name__ == "__main__":
    main()
