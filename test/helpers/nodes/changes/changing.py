"""Services that change the robot of dynamics_node or measure at its black boxes, and requests to them."""

from typing import Any

from modular_dynamics_interfaces import srv

SERVICES = {
    "set_payload": srv.SetPayload,
    "attach_subsystem": srv.AttachSubsystem,
    "detach_subsystem": srv.DetachSubsystem,
    "lock_joints": srv.LockJoints,
    "tare_black_box": srv.TareBlackBox,
    "identify_payload": srv.IdentifyPayload,
}
MOMENTS = {3: ("ixx", "iyy", "izz"), 6: ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}


def request(kind: type, **fields: Any) -> Any:
    """A request of a service with these fields.

    Args:
        fields: `load`: mass, centre of mass, three moments or six, of a payload; `at`: a pose, x y z and the
        quaternion w x y z; others as they are.
    """
    made = kind.Request()
    if (load := fields.pop("load", None)) is not None:
        of, (mass, com, moments) = made.inertia, load
        of.m, (of.com.x, of.com.y, of.com.z) = mass, com
        for name, moment in zip(MOMENTS[len(moments)], moments, strict=True):
            setattr(of, name, moment)
    if (at := fields.pop("at", None)) is not None:
        position, turn = made.pose.position, made.pose.orientation
        position.x, position.y, position.z, turn.w, turn.x, turn.y, turn.z = at
    for name, value in fields.items():
        setattr(made, name, value)
    return made
