"""Stand-ins for MoveIt's messages, whose package need not be installed."""

from types import SimpleNamespace as Message


def pose(position, quaternion):
    """A geometry_msgs/Pose; quaternion x y z w."""
    p, q = position, quaternion
    return Message(
        position=Message(x=p[0], y=p[1], z=p[2]), orientation=Message(x=q[0], y=q[1], z=q[2], w=q[3])
    )


HERE = pose([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])
CUBE = Message(type=1, dimensions=[0.1, 0.1, 0.1])


def attached(name, link, *solids, at=HERE, frame=None, weight=0.0):
    """A moveit_msgs/AttachedCollisionObject of pairs (solid, pose); a pose of None is left out."""
    entry = Message(
        id=name,
        header=Message(frame_id=frame or link),
        pose=at,
        operation=0,
        ADD=0,
        primitives=[solid for solid, _ in solids],
        primitive_poses=[where for _, where in solids if where is not None],
        meshes=[],
        mesh_poses=[],
    )
    return Message(link_name=link, object=entry, weight=weight)
