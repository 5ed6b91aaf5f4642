"""An assembly as the message with its incidence matrix."""

from modular_dynamics_interfaces.msg import AssemblyIncidenceMatrix

from modular_dynamics.modular import IncidenceMatrix
from modular_dynamics_ros.messages.stamps import stamp_message

__all__ = ["incidence_message"]


def incidence_message(
    matrix: IncidenceMatrix, name: str, root_link: str, revision: int, stamp: int
) -> AssemblyIncidenceMatrix:
    """Return the matrix of an assembly of this name and root link, active since `stamp` [ns]."""
    rows, columns = matrix.matrix.shape
    message = AssemblyIncidenceMatrix(
        revision=revision,
        assembly=name,
        base=str(matrix.base),
        modules=list(matrix.modules),
        kinds=list(matrix.kinds),
        docking_types=list(matrix.docking_types or ()),
        rows=rows,
        columns=columns,
        faces=matrix.matrix.ravel().tolist(),
        turns=list(matrix.turns),
    )
    message.header.stamp, message.header.frame_id = stamp_message(stamp), root_link
    return message
