"""URDF or xacro -> model: the standard part, our tags, the partition rules, and all checks on bad input."""

from .header import DescriptionHeader, description_header, stamp_text, stamped
from .load import has_loops, load_urdf
from .writing import graph_urdf
from .xacro_files import plain_urdf

__all__ = [
    "DescriptionHeader",
    "description_header",
    "graph_urdf",
    "has_loops",
    "load_urdf",
    "plain_urdf",
    "stamp_text",
    "stamped",
]
