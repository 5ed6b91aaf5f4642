"""assembly_node: a module assembly that changes while it moves.

It publishes the robot's description and its incidence matrix after every change, and joint states of a gait.
Services dock and undock modules, load and save the assembly. Everything else follows robot_description:
dynamics_node, rviz and, by its parameter, robot_state_publisher.
"""

from collections.abc import Callable
from typing import Any

from modular_dynamics_interfaces.msg import AssemblyIncidenceMatrix
from modular_dynamics_interfaces.srv import Dock, LoadAssembly, SaveAssembly, Undock
from rclpy.lifecycle import LifecycleState
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from modular_dynamics.exceptions import ModularDynamicsError, UnknownNameError
from modular_dynamics.modular import Assembly, IncidenceMatrix
from modular_dynamics_ros.assembly.files import (
    LiveAssembly,
    load_assembly,
    load_gait,
    load_types,
    save_assembly,
)
from modular_dynamics_ros.assembly.motion import MovingJoints
from modular_dynamics_ros.assembly.state_publisher import StatePublisherClient, require_node_name
from modular_dynamics_ros.computation.values import CLOCK_SET_BACK
from modular_dynamics_ros.diagnostics.change_log import described, one_line
from modular_dynamics_ros.exceptions import AssemblyFileError, ParameterError
from modular_dynamics_ros.lifecycle.entities import DESCRIPTIONS, LATCHED, REQUESTS
from modular_dynamics_ros.lifecycle.node import ManagedNode
from modular_dynamics_ros.messages.stamps import description_frame, stamp_message
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.node.outputs import JointStateWriter
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.parameters.nodes import AssemblyParameters

Change = Callable[[Assembly], Assembly]
DEPTH = 500  # joint states that a slow subscriber may be behind


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


class AssemblyServices:
    """dock, undock, load and save: every error becomes a response, and leaves the assembly as it was.

    They are there as long as their node, and refuse requests while it is not active.

    Args:
        host: the node: `configured`, `active`, `live`, and `change`.
    """

    def __init__(self, node: Node, host: Any) -> None:
        self._node, self._host = node, host
        for kind, name, handle in (
            (Dock, "~/dock", self._on_dock),
            (Undock, "~/undock", self._on_undock),
            (LoadAssembly, "~/load", self._on_load),
            (SaveAssembly, "~/save", self._on_save),
        ):
            node.create_service(kind, name, handle, qos_profile=REQUESTS)

    def _on_dock(self, request: Dock.Request, response: Dock.Response) -> Dock.Response:
        r = request

        def change(assembly: Assembly) -> Assembly:
            ports = r.module, r.port, r.other_module, r.other_port
            return assembly.dock(*ports, kind=r.kind or None, turn=r.turn)

        what = f"docked '{r.other_module}' by port {r.other_port} to port {r.port} of '{r.module}'"
        return self._answer(response, lambda: self._host.change(change, what))

    def _on_undock(self, request: Undock.Request, response: Undock.Response) -> Undock.Response:
        module, port = request.module, request.port or None
        what = f"released '{module}'" + (f" at port {port}" if port else "")
        return self._answer(
            response, lambda: self._host.change(lambda assembly: assembly.undock(module, port), what)
        )

    def _on_load(self, request: LoadAssembly.Request, response: LoadAssembly.Response) -> Any:
        def change(assembly: Assembly) -> Assembly:
            return load_assembly(request.file, assembly.types, assembly.name)

        return self._answer(response, lambda: self._host.change(change, f"loaded '{request.file}'"))

    def _on_save(self, request: SaveAssembly.Request, response: SaveAssembly.Response) -> Any:
        def save() -> None:
            save_assembly(self._host.live.assembly, request.file, request.overwrite)

        return self._answer(response, save)

    def _answer(self, response: Any, action: Callable[[], None]) -> Any:
        """Carry out a request, and return the response."""
        response.error_code, text = self._outcome(response, action)
        response.error_message = one_line(text)
        response.success = response.error_code == response.NONE
        if self._host.configured:
            live = self._host.live
            response.revision, response.stamp = live.revision, stamp_message(live.stamp)
        return response

    def _outcome(self, response: Any, action: Callable[[], None]) -> tuple[int, str]:
        if not self._host.active:
            return response.NOT_ACTIVE, "the node is not active; configure and activate it first"
        try:
            action()
        except AssemblyFileError as error:
            return response.FILE, str(error)
        except UnknownNameError as error:
            return response.UNKNOWN_NAME, str(error)
        except ModularDynamicsError as error:
            return response.REFUSED, str(error)
        except Exception as error:  # a service must not end the node
            text = described(error)
            self._node.get_logger().error(f"unexpected error in a service: {text}")
            return response.UNEXPECTED, text
        return response.NONE, ""


class AssemblyNode(ManagedNode[AssemblyParameters]):
    """Configured: the assembly and the gait are loaded. Active: they are published, and services change them.

    Attributes:
        live: the active assembly, while configured.
    """

    NAME = "assembly_node"
    PARAMETERS = AssemblyParameters

    live: LiveAssembly

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._state_publisher: StatePublisherClient | None = None
        self._timer: Any = None  # publishes joint states
        self._writer: JointStateWriter | None = None
        self._began = self._newest = self._sent = (
            0  # start of the gait [ns]; last stamp [ns]; joint states sent
        )

    def equip(self) -> None:
        """See `ManagedNode`."""
        AssemblyServices(self, self)

    def configure(self) -> bool:
        """Load the assembly and its gait."""
        p = self.parameters
        try:
            if p.robot_state_publisher:
                require_node_name(p.robot_state_publisher)
            types = load_types(p.module_type_files)
            if p.assembly_file:
                assembly = load_assembly(p.assembly_file, types, p.robot_name)
            else:
                assembly = Assembly((p.base_module, p.base_kind), types=types, name=p.robot_name)
            self._joints = MovingJoints(load_gait(p.gait_file), p.ease)
            self.live = LiveAssembly.of(assembly, 0, self.now())
        except (ModularDynamicsError, AssemblyFileError, ParameterError) as error:
            self.get_logger().error(f"not configured: {error}")
            return False
        make = self.make_publisher
        self._descriptions = make(String, "robot_description", DESCRIPTIONS)
        self._matrices = make(AssemblyIncidenceMatrix, "~/incidence_matrix", LATCHED)
        self._states = make(JointState, "joint_states", QoSProfile(depth=DEPTH))
        self._writer = self._state_publisher = None
        if p.robot_state_publisher:
            self._state_publisher = StatePublisherClient(self, p.robot_state_publisher, self.log)
            self.while_configured.callback(self._state_publisher.destroy)
        return True

    def activate(self, state: LifecycleState) -> None:
        """Publish the assembly and start its gait."""
        if self._newest - self.now() > CLOCK_SET_BACK:
            self._newest = 0
        self._began = max(self.now(), self._newest + 1)
        self._put_in_force(LiveAssembly.of(self.live.assembly, self.live.revision, self._began), "activated")
        self.while_active.callback(self._stop_timer)
        self._start_timer()

    def change(self, make: Change, what: str) -> None:
        """Activate the assembly that `make` returns for the present one; where it raises, nothing changes.

        Args:
            what: describes the change, for the log.
        """
        assembly = make(self.live.assembly)
        self._follow_clock()
        stamp = max(self.now(), self._newest + 1)
        self._put_in_force(LiveAssembly.of(assembly, self.live.revision + 1, stamp), what)

    def _follow_clock(self) -> None:
        """Continue from the present position if the clock was set back, as by a restarted simulation.

        Stamps continued from the old time would be ahead of the clock, and subscribers would ignore them.
        """
        if (back := self._newest - self.now()) <= CLOCK_SET_BACK:
            return
        self._newest -= back
        self._began -= back
        live = LiveAssembly.of(self.live.assembly, self.live.revision, self._newest)
        self._put_in_force(live, f"the clock was set back by {back * 1e-9:.3f} s")

    def _put_in_force(self, live: LiveAssembly, what: str) -> None:
        self.live, self._newest = live, live.stamp
        self._joints.take(live.joint_names, self._time(live.stamp))
        names = live.joint_names
        frame = description_frame(live.assembly.name, live.stamp)
        self._writer = JointStateWriter(names, range(len(names)), ("position", "velocity"), frame)
        self._descriptions.publish(String(data=live.urdf))
        matrix = live.assembly.incidence_matrix()
        self._matrices.publish(
            incidence_message(matrix, live.assembly.name, live.root_link, live.revision, live.stamp)
        )
        if self._state_publisher is not None:
            self._state_publisher.set(live.urdf)
        self.get_logger().info(f"revision {live.revision}: {what}; {self._summary()}")

    def _summary(self) -> str:
        return f"{len(self.live.assembly)} modules, {len(self.live.joint_names)} joints"

    def _time(self, stamp: int) -> float:
        """Return the gait's time [s] at a stamp [ns]."""
        return max(0, stamp - self._began) * 1e-9

    def _start_timer(self) -> None:
        if (rate := self.parameters.rate) > 0.0:
            self._timer = self.create_timer(1.0 / rate, self._on_state)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self.destroy_timer(self._timer)
        self._timer = None

    def parameters_changed(self) -> None:
        """See `ManagedNode`."""
        if self.active:
            self._stop_timer()
            self._start_timer()

    def _on_state(self) -> None:
        """Publish the gait's present joint state."""
        self._follow_clock()
        if self._writer is None or not self.live.joint_names:
            return
        self._newest = stamp = max(self.now(), self._newest + 1)
        q, v = self._joints.at(self._time(stamp))
        self._states.publish(self._writer.write(stamp, q, v))
        self._sent += 1

    def report(self) -> tuple[str, list[Status]]:
        """See `ManagedNode`."""
        if self._state_publisher is not None:
            self._state_publisher.try_again()
        values = {"revision": str(self.live.revision), "joint states sent": str(self._sent)}
        status = status_of("assembly", self._summary(), values, warnings=self.log.current())
        return self.live.assembly.name, [status]


def main() -> int:
    """Run the node as a process."""
    return run_lifecycle_node(AssemblyNode, str(__doc__))
