"""Assemblies, kinds of modules and gaits in files.

The library reads them, and refuses what is no regular file or too large.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from modular_dynamics import SubsystemGraph
from modular_dynamics.exceptions import ModularDynamicsError
from modular_dynamics.modular import Assembly, IncidenceMatrix, ModuleType, gaits, read_module_type
from modular_dynamics.text.files import replace_file
from modular_dynamics.urdf import stamped
from modular_dynamics_ros.exceptions import AssemblyFileError
from modular_dynamics_ros.node.topic_names import topic_names

SHOWN = 250  # characters of a path in a message
SHORTEST_STEP = 1e-4  # of a gait [s]


def load_types(paths: Sequence[str]) -> Mapping[str, ModuleType]:
    """Return kinds of modules by name, in addition to the shipped ones.

    Raises:
        AssemblyFileError: an invalid file; two files with one kind.
    """
    types: dict[str, ModuleType] = {}
    for path in paths:
        try:
            kind = read_module_type(path)
        except ModularDynamicsError as error:
            raise AssemblyFileError(str(error)) from error
        if kind.name in types:
            raise AssemblyFileError(f"{path}: a second kind '{kind.name}'; one file for each is needed")
        types[kind.name] = kind
    return types


def load_assembly(path: str, types: Mapping[str, ModuleType], name: str) -> Assembly:
    """Return the assembly whose incidence matrix a file holds.

    Raises:
        AssemblyFileError: no file is named, no such file, or not a valid incidence matrix.
        AssemblyError, UnknownNameError: there is no such assembly of these kinds.
    """
    if not path:
        raise AssemblyFileError("no file is named: give the path of an incidence matrix (.yaml)")
    try:
        matrix = IncidenceMatrix.from_yaml(Path(path))
    except ModularDynamicsError as error:
        raise AssemblyFileError(str(error)) from error
    return Assembly.from_incidence_matrix(matrix, types=types, name=name)


def save_assembly(assembly: Assembly, path: str, overwrite: bool) -> None:
    """Write the incidence matrix of an assembly; a reader gets the old file or the new one.

    Raises:
        AssemblyFileError: no file is named; one that exists, without `overwrite`; or that cannot be written.
    """
    if not path:
        raise AssemblyFileError("no file is named: give the path of the file to write (.yaml)")
    text = assembly.incidence_matrix().to_yaml()
    try:
        file = Path(path).expanduser().resolve()  # keeps symbolic links
        if file.exists() and not file.is_file():
            raise OSError(0, "there is something that is no regular file")
        if file.exists() and not overwrite:
            raise OSError(0, "it exists; set overwrite to replace it")
        replace_file(file, text.encode())
    except (OSError, ValueError, RuntimeError) as error:  # a zero byte; no such user; links in a circle
        why = getattr(error, "strerror", None) or error
        raise AssemblyFileError(f"file {path[:SHOWN]!r} cannot be written: {why}") from error


def load_gait(path: str) -> gaits.Gait | None:
    """Return the gait in a YAML file; None without a file.

    Raises:
        GaitError: an invalid file. AssemblyFileError: steps that are too short to be computed in time.
    """
    if not path:
        return None
    gait = gaits.load(Path(path))
    period = getattr(gait, "period", SHORTEST_STEP)
    if period < SHORTEST_STEP:
        raise AssemblyFileError(
            f"{path[:SHOWN]}: period is {period:g} s; at least {SHORTEST_STEP:g} s is needed: "
            "the gait is computed while the robot moves"
        )
    return gait


class LiveAssembly(NamedTuple):
    """An active assembly.

    Attributes:
        revision: number of changes before it. stamp: when it became active [ns].
        root_link: the link fixed in the world. joint_names: in the order of joint states.
        urdf: its description, with the stamp.
    """

    assembly: Assembly
    revision: int
    stamp: int
    root_link: str
    joint_names: tuple[str, ...]
    urdf: str

    @classmethod
    def of(cls, assembly: Assembly, revision: int, stamp: int) -> "LiveAssembly":
        """Describe an assembly.

        Raises:
            AssemblyError: its rings cannot be closed. RobotError: `dynamics_node` would refuse its names.
        """
        graph = assembly.graph(require_closed=True)
        topic_names("subsystem", [one.name for one in graph.subsystems])
        topic_names("loop joint", [one.name for one in graph.loop_joints])
        urdf = stamped(description_of(assembly, graph), stamp)
        return cls(assembly, revision, stamp, graph.ground.name, graph.joint_names, urdf)


def description_of(assembly: Assembly, graph: SubsystemGraph) -> str:
    """Return URDF with passive tags for the joints that rings of modules move; `graph`: of the assembly."""
    text = assembly.to_urdf()
    moved = [name for name in graph.joint_names if name not in graph.independent_joint_names]
    if not moved:
        return text
    root = etree.fromstring(text.encode())
    (tags,) = root.iter("modular_dynamics")
    for name in moved:
        etree.SubElement(tags, "passive", joint=name)
    return str(etree.tostring(root, encoding="unicode"))
