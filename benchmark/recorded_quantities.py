"""Record every public quantity of many robots in a file, or compare with such a file.

    python -m benchmark.recorded_quantities record FILE [FOLDER...]
    python -m benchmark.recorded_quantities compare FILE

Recorded are the robots of urdf/, 200 random trees and loops, mechanisms of the tests, and those of FOLDER:
URDFs (`pip download example-robot-data`, unpacked), or folders with robot.yaml (Gepetto's
example-parallel-robots). FILE holds URDF texts, states and numbers: comparing needs FILE and the library
alone, of any version whose calls `quantities.py` has. Compare only a FILE that you recorded: it is a pickle.

Exit status 1: a difference above the bound, a refusal that became a value or another error, or the reverse,
or a quantity that is no longer computed. Bounds are relative to the terms that are summed: see `Sizes`.
"""

import argparse
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import yaml
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import modular_dynamics as md
from benchmark import quantities
from benchmark.quantities import State
from benchmark.studies import parallel_robots

Array = NDArray[np.float64]
Entries = dict[str, Array | str]
"""Values, or an error's name, by "state number|quantity"."""
ROOT = Path(__file__).resolve().parents[1]
FAMILIES = ("urdf", "published", "parallel", "random trees", "random loops")
#: Allowed relative differences; float32 has the one that its function promises.
TREES, LOOPS, SINGLE_PRECISION = 1e-13, 1e-11, 1e-5
GRAVITY = 9.80665  # [m/s^2]
ROWS = 11  # states of a batch, the recorded ones repeated: eight lanes and a rest


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot's text and how it is read. start: a closed configuration; None: search for one."""

    family: str
    name: str
    urdf: str
    partition: Mapping[str, Any] | None = None
    floating: bool = False
    independent: tuple[str, ...] = ()
    start: Sequence[float] | None = None


def robots(folders: Sequence[Path]) -> Iterator[Robot]:
    """Yield all robots; names are unique."""
    for path in sorted((ROOT / "urdf").glob("*.urdf")):
        yield Robot("urdf", path.stem, path.read_text())
    arm = (ROOT / "urdf/vendor_arm.urdf").read_text()
    partition = yaml.safe_load((ROOT / "urdf/vendor_arm_partition.yaml").read_text())
    tool = {"name": "tool", "root_link": "tv7_gripper_base", "black_box": True}
    yield Robot("urdf", "vendor_arm, its partition", arm, partition)
    yield Robot("urdf", "vendor_arm, black box", arm, {"version": 1, "subsystems": [tool]})
    yield Robot("urdf", "vendor_arm, floating", arm, floating=True)
    for folder in folders:
        parallel = list(parallel_robots.folders(folder))
        yield from (_parallel(path, str(path.relative_to(folder))) for path in parallel)
        for path in sorted(folder.rglob("*.urdf")):
            if path.parent not in parallel:
                name, text = str(path.relative_to(folder)), path.read_text(encoding="utf-8")
                yield Robot("published", name, text)
                yield Robot("published", f"{name}, floating", text, floating=True)
    yield from _random_robots()


def _parallel(folder: Path, name: str) -> Robot:
    """Return a robot of robot.yaml; its motors and the fewest other joints are independent.

    One that cannot be read has no text, and one that cannot close no start: their refusals are recorded.
    """
    try:
        read = parallel_robots.read_robot(folder)
    except ValueError:
        return Robot("parallel", name, "")
    try:
        robot = parallel_robots.closed(read)
    except md.ClosureError:
        return Robot("parallel", name, read.urdf)
    names, start = robot.graph.independent_joint_names, robot.coordinates.tolist()
    return Robot("parallel", name, robot.graph.urdf, independent=tuple(names), start=start)


def _random_robots() -> Iterator[Robot]:
    """Yield 140 trees, 20 of them with black boxes, 60 mechanisms, and those that tests name."""
    sys.path.append(str(ROOT / "test"))
    examples = {
        name: import_module(f"helpers.random_examples.{name}")
        for name in ("joint_trees", "trees", "black_boxes", "mechanisms")
    }
    partitions = examples["trees"].partitions
    pairs = examples["trees"].random_trees(40).flatmap(lambda tree: partitions(tree).map(lambda x: (tree, x)))
    for k, tree in enumerate(_drawn(examples["joint_trees"].joint_trees(40), 70, seed=1)):
        yield Robot("random trees", f"joint tree {k}", tree.urdf)
    for k, (tree, partition) in enumerate(_drawn(pairs, 50, seed=2)):
        yield Robot("random trees", f"partitioned tree {k}", tree.urdf, partition)
    for k, tree in enumerate(_drawn(examples["black_boxes"].boxed_trees(), 20, seed=3)):
        listed = {"version": 1, "subsystems": tree.subsystems(tree.urdf)}
        yield Robot("random trees", f"tree with black boxes {k}", tree.urdf, listed)
    for k, drawn in enumerate(_drawn(examples["mechanisms"].random_mechanisms(), 60, seed=4)):
        names, graph = tuple(drawn.graph.independent_joint_names), drawn.graph
        yield Robot("random loops", f"mechanism {k}", graph.urdf, independent=names, start=drawn.q.tolist())
    kinds = ("planar", "spatial", "parallel")
    planar, spatial, parallel = (import_module(f"helpers.robots.{kind}_mechanisms") for kind in kinds)
    named = {name: make().graph().urdf for name, make in planar.MECHANISMS.items()}
    for name in ("spinning_rod", "spinning_rod_on_a_ball", "cut_rod", "platform"):
        named[name] = getattr(spatial, name)().urdf
    named["platform, floating"] = spatial.platform(floating=True).urdf
    for name in ("ankle", "delta", "bricard", "sarrus"):
        named[name] = getattr(parallel, name)().urdf()
    yield from (Robot("random loops", name, urdf) for name, urdf in named.items())


def _drawn(strategy: Any, count: int, seed: int) -> list[Any]:
    """Return examples of a hypothesis strategy, the same ones in every process."""
    drawn: list[Any] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def draw(example: Any) -> None:
        drawn.append(example)

    draw()
    return drawn[:count]


def states(robot: Robot, graph: Any, tree: Any) -> list[State]:
    """Return a state at rest and two that move; of loops, near a closed configuration."""
    rng = np.random.default_rng(zlib.crc32(robot.name.encode()))
    wrench, n, found = 5.0 * rng.normal(size=(2, 6)), tree.nv, []
    if not quantities.has_loops(graph):
        listed = (tree.neutral(), 0), (tree.random_configuration(rng), 1), (rng.normal(size=tree.nq), 1)
        for q, moves in listed:
            v, a, tau = rng.normal(size=(3, n))
            own = q, moves * v, moves * a, tau
            found.append(State(*own, *own, wrench))
        return found
    start = np.array(robot.start) if robot.start is not None else quantities.assembled(graph)
    names = graph.independent_joint_names
    in_q = np.concatenate([np.r_[graph.q_slice(name)] for name in names]).astype(int)
    n1 = sum(graph.v_slice(name).stop - graph.v_slice(name).start for name in names)
    start = quantities.closed_motion(graph, start[in_q], np.zeros(n1), np.zeros(n1), start)[0]
    for moves in (0, 1, 1):
        v1, a1, tau1 = rng.normal(size=(3, n1))
        v1, a1 = moves * v1, moves * a1
        for step in (0.1 * moves, 0.02 * moves, 0.0):  # [s] smaller ones where a loop cannot close
            q = tree.integrate(start, quantities.closed_motion(graph, start[in_q], v1, a1, start)[1], step)
            try:
                q, v, a = quantities.closed_motion(graph, q[in_q], v1, a1, q)
            except md.ModularDynamicsError:
                continue
            found.append(State(q, v, a, rng.normal(size=n), q[in_q], v1, a1, tau1, wrench))
            break
    return found


def loaded(robot: Robot) -> tuple[Any, Any, list[tuple[Any, Any, Any]]]:
    """Return graph, spanning tree, and subjects with their tables of quantities and of batches."""
    graph, tree = quantities.load(robot.urdf, robot.partition, robot.floating, robot.independent)
    subjects = [(tree, quantities.TREE, quantities.TREE_ROWS)]
    if quantities.has_loops(graph):
        subjects.append((graph, quantities.LOOP, quantities.LOOP_ROWS))
    return graph, tree, subjects


def result(compute: Any, subject: Any, state: State) -> Array | str:
    """Return a quantity, or the error's name: whatever it refuses with is recorded."""
    try:
        return np.asarray(compute(subject, state), float)
    except Exception as error:
        return type(error).__name__


def recorded(robot: Robot) -> Entries:
    """Return all entries of a robot, its states among them; of one that cannot be loaded only the error."""
    try:
        graph, tree, subjects = loaded(robot)
        given = states(robot, graph, tree)
    except md.ModularDynamicsError as error:
        return {"load": type(error).__name__}
    entries: Entries = {}
    for k, state in enumerate(given):
        entries |= {f"{k}|state {name}": x for name, x in vars(state).items()}
        for subject, table, _ in subjects:
            for name, (_, compute) in table.items():
                entries[f"{k}|{name}"] = result(compute, subject, state)
    return entries


class Sizes:
    """Sizes of the terms that are summed in one recorded state; differences relative to them, by kind.

    A motion of kinetic size e = sum_j r_j (|a_j| + |v_j| sum_k |v_k|) + sqrt(m) |g|, r_i = sqrt(M_ii), makes
    torques of at most about r_i e (Cauchy-Schwarz, in the metric of M); of loops r is |W|^T r. Accelerations
    and their derivatives are compared as the torques M a. A kind that ends in 1 is of the independent joints.
    No entry need be closer than a unit in the last place of the quantity's largest term: what is zero in
    exact arithmetic is rounded from such terms.
    """

    def __init__(self, entries: Entries, k: int) -> None:
        def value(name: str, default: Any) -> Array:
            x = entries.get(f"{k}|{name}", default)
            return np.asarray(default if isinstance(x, str) else x)

        self.value = value
        self.v, n1 = np.abs(value("state v", 0.0)), len(value("state v1", []))
        M = value("mass matrix", np.zeros((len(self.v),) * 2))
        self.M = M, value("loops: mass matrix", np.zeros((n1, n1)))
        r = np.sqrt(np.diag(M).clip(0.0))
        self.r = r, np.abs(value("loops: projection", np.zeros((len(r), n1)))).T @ r
        mass, centre = float(value("mass", 0.0)), float(np.linalg.norm(value("centre of mass", 0.0)))
        self.still = float((r @ self.v) * self.v.sum() + np.sqrt(mass) * GRAVITY)
        self.weight, places = mass * GRAVITY * centre, value("poses", np.eye(4)[None])[:, :3, 3]
        self.extent = float(np.ptp(places, axis=0).max())
        self.levers = {"momentum": centre, "wrench": self.extent}

    def difference(self, kind: str, now: Array, before: Array, bound: float) -> float:
        """Return the largest; infinite where only one is a number. Equal infinities and NaN do not differ."""
        if now.shape != before.shape:
            return np.inf
        of_loops, kind = int(kind.endswith("1")), kind.removesuffix("1")
        with np.errstate(invalid="ignore", divide="ignore"):
            d = np.where((now == before) | (np.isnan(now) & np.isnan(before)), 0.0, now - before)
            a = self.value("state a", 0.0)
            if kind == "hybrid torque":
                a, kind = self.value("loops: " * of_loops + "hybrid accelerations", a), "torque"
            e = self.still + float(self.r[0] @ np.abs(a))
            if kind.startswith("acceleration"):
                M, r = self.M[of_loops], self.r[of_loops]
                e = self.still + float(np.max(r @ np.abs(before), initial=0.0))
                if kind == "acceleration slope":
                    e += float(r @ np.abs(self.value("accelerations, wrenches", 0.0 * r)))
                d, before, kind = M @ d, M @ before, "torque"
            sizes = self.terms(kind, before, self.r[of_loops], e)
            sizes = np.maximum(sizes, np.finfo(float).eps / bound * np.max(sizes, initial=0.0))
            ratio = np.where(d == 0.0, 0.0, np.abs(d) / sizes)
        return float(np.max(np.nan_to_num(ratio, nan=np.inf), initial=0.0))

    def terms(self, kind: str, x: Array, r: Array, e: float) -> Array:
        """Return the sizes of terms, of a shape that broadcasts with x."""
        column = (-1,) + (1,) * (x.ndim - 1)
        if kind == "torque" and self.M[0].any():  # (nv, ...); larger than e r: springs, friction, wrenches
            largest = np.nanmax(np.abs(x), axis=tuple(range(1, x.ndim)), initial=0.0)
            sizes = np.maximum(e * r, largest).reshape(column)
        elif kind == "regressor":  # (nv, bodies, parameters)
            rows = (e * np.where(r > 0.0, r, 1.0)).reshape(column)
            columns = np.max(np.abs(x) / rows, axis=(0, 1), initial=0.0)
            if len(columns) == 10:  # mass, first and second moments
                columns = np.repeat(np.maximum.reduceat(columns, [0, 1, 4]), [1, 3, 6])
            sizes = rows * columns
        elif kind == "mass":
            sizes = np.outer(r, r)
        elif kind in ("twist", "drift", "momentum", "wrench"):  # (..., 6), halves apart
            halves = _halves(x)
            if kind == "drift":
                J = self.value("jacobian", np.zeros((1, 6)))
                halves = np.maximum(halves, _halves(J) * self.v.sum() ** 2)
            halves[1] = max(halves[1], halves[0] * self.levers.get(kind, 0.0))
            sizes = np.repeat(halves, 3)
        elif kind == "pose":  # (..., 4, 4)
            sizes = np.ones((4, 4))
            sizes[:3, 3] = np.max(np.abs(x[..., :3, 3]), initial=0.0)
        elif kind == "coordinates":
            sizes = np.maximum(1.0, np.abs(x))
        else:  # the largest; torques of robots without a mass matrix, too
            least = {"energy": self.weight, "any torque": e * np.max(r, initial=0.0), "reach": self.extent}
            sizes = np.array(np.max(np.abs(x[np.isfinite(x)]), initial=least.get(kind, 0.0)))
        return sizes


def _halves(x: Array) -> Array:
    """Return the largest of the first and of the last three entries in each row."""
    return np.asarray(np.nanmax(np.abs(x.reshape(-1, 2, 3)), axis=(0, 2), initial=0.0))


@dataclass
class Row:
    """One quantity: its largest difference by family, where that is, and what changed by robot."""

    bound: float
    worst: dict[str, float] = field(default_factory=dict)
    where: str = ""
    changes: dict[str, str | float] = field(default_factory=dict)

    def add(self, robot: Robot, where: str, value: float) -> None:
        """Note a difference."""
        if value > max(self.worst.values(), default=0.0):
            self.where = f"{robot.name}, {where}"
        self.worst[robot.family] = max(value, self.worst.get(robot.family, 0.0))
        known = self.changes.get(robot.name, 0.0)
        if not (isinstance(known, str) or value <= max(self.bound, known)):
            self.changes[robot.name] = value


def computed(subjects: Any, given: Sequence[State]) -> Iterator[tuple[str, str, str, int, Array | str]]:
    """Yield name, name of the recorded quantity, kind, number of the state, and what is computed now."""
    order = [k % len(given) for k in range(ROWS)]
    parts = {one.name: np.array([getattr(given[k], one.name) for k in order]) for one in fields(State)}
    many = State(**parts | {"wrench": given[0].wrench})
    for subject, table, batches in subjects:
        for name, (kind, compute) in table.items():
            yield from ((name, name, kind, k, result(compute, subject, s)) for k, s in enumerate(given))
        for name, compute in batches.items():
            recorded_as, rows = name.removesuffix(", float32"), result(compute, subject, many)
            kind = table[name][0] if name == recorded_as else "any torque"
            for k, row in zip(order, [rows] * ROWS if isinstance(rows, str) else rows, strict=True):
                yield f"batch: {name}", recorded_as, kind, k, row


def compared(robot: Robot, before: Entries, report: dict[str, Row]) -> None:
    """Add the differences of a robot's quantities from its entries."""
    missing = {key.split("|")[-1] for key in before if "|state " not in key}
    given: list[State] = []
    while f"{len(given)}|state q" in before:
        given.append(State(**{one.name: before[f"{len(given)}|state {one.name}"] for one in fields(State)}))
    try:
        graph, tree, subjects = loaded(robot)
        given or states(robot, graph, tree)
    except md.ModularDynamicsError as error:
        if before.get("load") != type(error).__name__:
            report.setdefault("load", Row(0.0)).changes[robot.name] = f"is {type(error).__name__}"
        return
    sizes = [Sizes(before, k) for k in range(len(given))]
    for name, recorded_as, kind, k, now in computed(subjects, given) if given else ():
        missing.discard(recorded_as)
        listed = [before.get(f"{j}|{recorded_as}") for j in range(len(given))]
        if listed[k] is None or (name.startswith("batch: ") and any(isinstance(x, str) for x in listed)):
            continue  # a new quantity; a batch with a state that is refused
        bound = LOOPS if "loops: " in name else TREES
        row = report.setdefault(name, Row(SINGLE_PRECISION if name.endswith("float32") else bound))
        texts = [x if isinstance(x, str) else "a value" for x in (listed[k], now)]
        if texts[0] != texts[1]:
            row.changes[robot.name] = f"was {texts[0]}, is {texts[1]}"
        elif not isinstance(now, str):
            row.add(robot, f"state {k}", sizes[k].difference(kind, now, listed[k], row.bound))
    for name in missing:
        report.setdefault(name, Row(0.0)).changes[robot.name] = "is no longer computed, or no longer refused"


def printed(report: Mapping[str, Row]) -> int:
    """Print the table and what changed; return the exit status."""
    console = Console(width=None if sys.stdout.isatty() else 200)
    table = Table("quantity", "bound", *FAMILIES, "changed", "where the largest is")
    for name, row in report.items():
        figures = (f"{row.worst[one]:.1e}" if one in row.worst else "" for one in FAMILIES)
        table.add_row(name, f"{row.bound:.0e}", *figures, str(len(row.changes) or ""), row.where)
    console.print(table)
    changes = sorted(
        f"{robot}: {name}: {what if isinstance(what, str) else f'{what:.1e}'}"
        for name, row in report.items()
        for robot, what in row.changes.items()
    )
    for line in changes:
        console.print(line, highlight=False, soft_wrap=True)
    console.print(f"{len(report)} quantities; {len(changes)} changed or above the bound", highlight=False)
    return int(bool(changes))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("folders", nargs="*", type=Path, help="URDFs to record")
    options = parser.parse_args(arguments)
    progress, report = Console(stderr=True), dict[str, Row]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of robots with flaws, and of numbers beyond float32
        if options.command == "compare":
            content = np.load(options.file, allow_pickle=True)["content"]
            for robot, entries in track(content, console=progress):
                compared(Robot(**robot), entries, report)
            return printed(report)
        listed = track(list(robots(options.folders)), console=progress)
        content = np.array([(vars(robot), recorded(robot)) for robot in listed], object)
    with options.file.open("wb") as file:
        np.savez_compressed(file, content=content)
    refused = Counter(x for _, entries in content for x in entries.values() if isinstance(x, str))
    count = sum(len(entries) for _, entries in content)
    print(f"{len(content)} robots, {count} entries, refused: {dict(refused)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
