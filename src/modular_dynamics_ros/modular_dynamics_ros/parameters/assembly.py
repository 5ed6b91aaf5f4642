"""Parameters of assembly_node. `--help` and `ros2 param describe` show these descriptions."""

from dataclasses import dataclass

from modular_dynamics_ros.parameters.kinds import RATE, constant, unconfigured
from modular_dynamics_ros.parameters.table import parameter

__all__ = ["AssemblyParameters"]


@dataclass(frozen=True)
class AssemblyParameters:
    """Parameters of assembly_node."""

    assembly_file: str = unconfigured(
        "", "path of the incidence matrix of the first assembly (.yaml or .csv); empty: one base module"
    )
    base_module: str = unconfigured("v0", "name of the base module, without assembly_file")
    base_kind: str = unconfigured("backbone", "kind of the base module, without assembly_file")
    module_type_files: tuple[str, ...] = unconfigured(
        (), "paths of YAML files of kinds of modules, in addition to the shipped ones"
    )
    robot_name: str = unconfigured("assembly", "name of the robot in robot_description")
    gait_file: str = unconfigured(
        "",
        "path of the YAML file of a gait; it may move joints that the assembly does not have yet; empty: all "
        "joints stand at zero",
    )
    seed: int = unconfigured(
        -1, "seed of the gait, instead of that of its file; -1: that of its file", low=-1, high=2**31 - 1
    )
    ease: float = unconfigured(
        1.0,
        "how long the motion of a joint grows from zero after its module has docked",
        unit="s",
        low=0.0,
        high=3600.0,
    )
    rate: float = parameter(50.0, "joint states per second; 0: none", **RATE)
    robot_state_publisher: str = unconfigured(
        "",
        "name of a robot_state_publisher whose parameter robot_description is set after each change; empty: "
        "none",
    )
    autostart: bool = constant(
        False, "configure and activate when the node starts, without a lifecycle manager"
    )
