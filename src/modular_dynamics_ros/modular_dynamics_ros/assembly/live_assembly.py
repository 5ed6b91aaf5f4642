"""An assembly that changes while a node publishes it: each change gives a new one, with its time."""

from typing import NamedTuple

from lxml import etree

from modular_dynamics import SubsystemGraph
from modular_dynamics.modular import Assembly
from modular_dynamics.urdf import stamped

__all__ = ["LiveAssembly", "description_of"]


class LiveAssembly(NamedTuple):
    """An active assembly.

    Attributes:
        revision: number of changes before it. stamp: since when it is active [ns].
        root_link: that stands in the world. joint_names: in the order of joint states.
        urdf: with the stamp.
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
            AssemblyError: its rings cannot be closed.
        """
        graph = assembly.graph(require_closed=True)
        urdf = stamped(description_of(assembly, graph), stamp)
        return cls(assembly, revision, stamp, graph.ground.name, graph.joint_names, urdf)


def description_of(assembly: Assembly, graph: SubsystemGraph | None = None) -> str:
    """Return URDF in which the joints moved by rings are passive, and so the others independent.

    Args:
        graph: of the assembly, where it is made already.

    Raises:
        AssemblyError: its rings cannot be closed.
    """
    text, graph = assembly.to_urdf(), graph or assembly.graph()
    moved = [name for name in graph.joint_names if name not in graph.independent_joint_names]
    if not moved:
        return text
    root = etree.fromstring(text.encode())
    (tags,) = root.iter("modular_dynamics")
    for name in moved:
        etree.SubElement(tags, "passive", joint=name)
    return str(etree.tostring(root, encoding="unicode"))
