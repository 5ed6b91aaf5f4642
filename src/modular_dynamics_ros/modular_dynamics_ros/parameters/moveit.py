"""Parameters of moveit_payload_node. `--help` and `ros2 param describe` show these descriptions."""

from dataclasses import dataclass

from modular_dynamics_ros.parameters.kinds import constant

__all__ = ["MoveitParameters"]


@dataclass(frozen=True)
class MoveitParameters:
    """Parameters of moveit_payload_node; all are read once, at the start."""

    object_masses: tuple[str, ...] = constant(
        (), "masses of objects, each as ID=KILOGRAMS with the id that MoveIt has, such as box=0.8"
    )
    density: float = constant(
        0.0,
        "of objects whose mass is known neither by object_masses nor by the weight in the message that "
        "attached them; 0: they are not counted",
        unit="kg/m^3",
        low=0.0,
        high=1e5,
    )
    set_payload: str = constant("dynamics_node/set_payload", "service that takes the payloads")
    period: float = constant(
        1.0,
        "from one request for the planning scene to the next; also asked for when its objects change",
        unit="s",
        low=0.05,
        high=1.0,
    )
