"""A graph as text that can be read again. Made in urdf/, which the model cannot import."""

from __future__ import annotations

from .code_export import exporter

__all__ = ["ExportsText"]


class ExportsText:
    """Methods of a graph that write it as text."""

    def to_urdf(self) -> str:
        """The robot as it is now, as URDF text with tags (docs/urdf_tags.md).

        ``md.load_urdf(graph.to_urdf())`` is the same robot: names, order of q, torques, loops, subsystems.
        Payloads are part of the links that carry them, and a revolute joint without limits is continuous.
        ``warnings`` and ``notes`` are not written.

        Visuals, collisions and materials, and all else that the library does not read (``<gazebo>``,
        ``<ros2_control>``, ``<transmission>``), are taken from the texts from which the links were read, also
        after changes; those of an attached robot under its prefix. Robots that were not read from a URDF have
        none.

        Raises:
            UnsupportedModelError: something that a URDF with tags cannot express; names it.
        """
        text: str = exporter("graph_urdf")(self)
        return text
