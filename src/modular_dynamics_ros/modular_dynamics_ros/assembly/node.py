"""assembly_node: a module assembly that changes while it moves.

It publishes the robot's description and its incidence matrix after every change, and joint states of a gait.
Services dock and undock modules, load and save the assembly. Everything else follows robot_description:
dynamics_node, rviz and, by its parameter, robot_state_publisher.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from modular_dynamics_interfaces.msg import AssemblyIncidenceMatrix
from modular_dynamics_interfaces.srv import Dock, LoadAssembly, SaveAssembly, Undock
from numpy.typing import NDArray
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.exceptions import NameValidationException
from rclpy.lifecycle import LifecycleState
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from modular_dynamics.exceptions import ModularDynamicsError, UnknownNameError
from modular_dynamics.modular import Assembly, gaits
from modular_dynamics_ros.assembly.files import (
    LiveAssembly,
    load_assembly,
    load_gait,
    load_types,
    save_assembly,
)
from modular_dynamics_ros.computation.values import CLOCK_SET_BACK
from modular_dynamics_ros.diagnostics.change_log import ChangeLog, described, one_line
from modular_dynamics_ros.exceptions import AssemblyFileError, NodeError, ParameterError, RobotError
from modular_dynamics_ros.lifecycle.entities import DESCRIPTIONS, LATCHED, REQUESTS
from modular_dynamics_ros.lifecycle.node import ManagedNode
from modular_dynamics_ros.messages.stamps import description_frame, stamp_message
from modular_dynamics_ros.messages.status import Status, status_of
from modular_dynamics_ros.node.outputs import JointStateWriter
from modular_dynamics_ros.node.spinning import run_lifecycle_node
from modular_dynamics_ros.parameters.nodes import AssemblyParameters

Array = NDArray[np.float64]
Change = Callable[[Assembly], Assembly]
MOST_LOOKS = 5  # failed looks, one a second, before a warning: both nodes are started together
DEPTH = 500  # joint states that a slow subscriber may be behind


def incidence_message(live: LiveAssembly) -> AssemblyIncidenceMatrix:
    """Return the incidence matrix of an active assembly."""
    matrix = live.assembly.incidence_matrix()
    rows, columns = matrix.matrix.shape
    message = AssemblyIncidenceMatrix(
        revision=live.revision,
        assembly=live.assembly.name,
        base=str(matrix.base),
        modules=list(matrix.modules),
        kinds=list(matrix.kinds),
        docking_types=list(matrix.docking_types or ()),
        rows=rows,
        columns=columns,
        faces=matrix.matrix.ravel().tolist(),
        turns=list(matrix.turns),
    )
    message.header.stamp, message.header.frame_id = stamp_message(live.stamp), live.root_link
    return message


class MovingJoints:
    """Moves the joints of a changing assembly by a gait.

    Changes do not disturb the joints that stay. One that comes later joins smoothly: for `ease` seconds its
    motion is scaled by s(u) = 10 u^3 - 15 u^4 + 6 u^5, u: share of that time. Joints that the gait does not
    move, and all joints without a gait, stay at zero.

    Args:
        ease: [s].
    """

    def __init__(self, gait: gaits.Gait | None, ease: float) -> None:
        self._gait, self._ease = gait, ease
        columns = () if gait is None else gait.joint_names
        self._column = {name: k for k, name in enumerate(columns)}
        self._names: tuple[str, ...] = ()
        self._since: Array = np.zeros(0)  # when each joint came [s]
        self._rows = self._columns = np.zeros(0, np.intp)  # of the joints that the gait moves

    def take(self, names: Sequence[str], t: float) -> None:
        """Set the joints to be moved from time t [s] on."""
        before = dict(zip(self._names, self._since.tolist(), strict=True))
        self._names = tuple(names)
        self._since = np.array([before.get(name, t if before else -np.inf) for name in names])
        moved = [(row, self._column[name]) for row, name in enumerate(names) if name in self._column]
        self._rows, self._columns = np.array(moved, np.intp).reshape(-1, 2).T

    def at(self, t: float) -> tuple[Array, Array]:
        """Return positions and velocities (n,) [rad or m, per s] at a time [s]."""
        q, v = np.zeros((2, len(self._names)))
        if self._gait is None:
            return q, v
        gait_q, gait_v, _ = self._gait.at(t)
        s: Any = 1.0
        ds: Any = 0.0
        if self._ease > 0.0:
            u = np.clip((t - self._since[self._rows]) / self._ease, 0.0, 1.0)
            s = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
            ds = 30.0 * u**2 * (1.0 - u) ** 2 / self._ease
        q[self._rows] = s * gait_q[self._columns]
        v[self._rows] = s * gait_v[self._columns] + ds * gait_q[self._columns]
        return q, v


class StatePublisherClient:
    """Sets the parameter robot_description of a robot_state_publisher to the newest description.

    A node that is not there yet gets it when it comes; one that does not answer gets it again.

    Raises:
        ParameterError: no node can have this name.
    """

    def __init__(self, node: Node, name: str, log: ChangeLog) -> None:
        self._node, self._service, self._log = node, f"{name}/set_parameters", log
        try:
            self._client = node.create_client(SetParameters, self._service)
        except (NameValidationException, ValueError) as error:
            raise ParameterError(f"robot_state_publisher: {' '.join(str(error).split())}") from error
        self._urdf: str | None = None  # description that is not known to be set
        self._asked: Any = None  # the last request
        self._absent = 0  # looks for the service in a row that found none

    def set(self, urdf: str) -> None:
        """Set this description, now or as soon as possible."""
        self._urdf = urdf
        self.send()

    def send(self) -> None:
        """Send what is not known to be set; to be called about once a second."""
        if (urdf := self._urdf) is None:
            return
        self._absent = 0 if self._client.service_is_ready() else self._absent + 1
        if self._absent > MOST_LOOKS:
            text = f"no service '{self._service}': does robot_state_publisher run by this name?"
            self._log.problem("robot_state_publisher", "missing", text)
        if self._absent:
            return
        if self._asked is not None:
            self._client.remove_pending_request(self._asked)
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=urdf)
        request = SetParameters.Request(parameters=[Parameter(name="robot_description", value=value)])
        self._asked = self._client.call_async(request)
        self._asked.add_done_callback(self._processed)

    def destroy(self) -> None:
        """Remove the client."""
        self._urdf = None
        self._node.destroy_client(self._client)

    def _processed(self, future: Any) -> None:
        if future is not self._asked:
            return  # a newer description was sent after it
        (result,) = future.result().results
        self._urdf = self._asked = None
        if not result.successful:
            text = f"'{self._service}' refused the description: {result.reason}"
            self._log.event("robot_state_publisher", "refused", text)


class AssemblyServices:
    """dock, undock, load and save: every error becomes a response, and leaves the assembly as it was.

    They are there as long as their node, and refuse requests while it is not active.
    """

    def __init__(self, node: "AssemblyNode") -> None:
        self._node = node
        for kind, name, handle in (
            (Dock, "~/dock", self._on_dock),
            (Undock, "~/undock", self._on_undock),
            (LoadAssembly, "~/load", self._on_load),
            (SaveAssembly, "~/save", self._on_save),
        ):
            node.create_service(kind, name, handle, qos_profile=REQUESTS)

    def _on_dock(self, request: Dock.Request, response: Dock.Response) -> Dock.Response:
        r = request
        ports = r.module, r.port, r.other_module, r.other_port
        what = f"docked '{r.other_module}' by port {r.other_port} to port {r.port} of '{r.module}'"
        return self._change(
            response, lambda assembly: assembly.dock(*ports, kind=r.kind or None, turn=r.turn), what
        )

    def _on_undock(self, request: Undock.Request, response: Undock.Response) -> Undock.Response:
        module, port = request.module, request.port or None
        what = f"released '{module}'" + (f" at port {port}" if port else "")
        return self._change(response, lambda assembly: assembly.undock(module, port), what)

    def _on_load(self, request: LoadAssembly.Request, response: LoadAssembly.Response) -> Any:
        def load(assembly: Assembly) -> Assembly:
            return load_assembly(request.file, assembly.types, assembly.name)

        return self._change(response, load, f"loaded '{request.file}'")

    def _on_save(self, request: SaveAssembly.Request, response: SaveAssembly.Response) -> Any:
        def save() -> None:
            save_assembly(self._node.live.assembly, request.file, request.overwrite)

        return self._answer(response, save)

    def _change(self, response: Any, make: Change, what: str) -> Any:
        return self._answer(response, lambda: self._node.change(make, what))

    def _answer(self, response: Any, action: Callable[[], None]) -> Any:
        """Carry out a request, and return the response."""
        response.error_code, text = self._outcome(response, action)
        response.error_message = one_line(text)
        response.success = response.error_code == response.NONE
        if self._node.configured:
            live = self._node.live
            response.revision, response.stamp = live.revision, stamp_message(live.stamp)
        return response

    def _outcome(self, response: Any, action: Callable[[], None]) -> tuple[int, str]:
        """Return error code and message after the action."""
        if not self._node.active:
            return response.NOT_ACTIVE, "the node is not active; configure and activate it first"
        try:
            action()
        except AssemblyFileError as error:
            return response.FILE, str(error)
        except UnknownNameError as error:
            return response.UNKNOWN_NAME, str(error)
        except (ModularDynamicsError, RobotError) as error:
            return response.REFUSED, str(error)
        except Exception as error:  # a service must not end the node
            text = described(error)
            self._node.get_logger().error(f"unexpected error in a service: {text}")
            return response.UNEXPECTED, text
        return response.NONE, ""


@contextmanager
def _errors_name(parameter: str) -> Iterator[None]:
    """Put a parameter's name before what is wrong with its files."""
    try:
        yield
    except (ModularDynamicsError, NodeError) as error:
        raise ParameterError(f"{parameter}: {error}") from error


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
        self._began = self._newest = 0  # start of the gait, last stamp [ns]
        self._sent = 0  # joint states

    def equip(self) -> None:
        """See `ManagedNode`."""
        AssemblyServices(self)

    def configure(self) -> bool:
        """Load the assembly and its gait."""
        p = self.parameters
        try:
            self._state_publisher = None
            if p.robot_state_publisher:
                self._state_publisher = StatePublisherClient(self, p.robot_state_publisher, self.log)
                self.while_configured.callback(self._state_publisher.destroy)
            with _errors_name("module_type_files"):
                types = load_types(p.module_type_files)
            if p.assembly_file:
                with _errors_name("assembly_file"):
                    assembly = load_assembly(p.assembly_file, types, p.robot_name)
            else:
                assembly = Assembly((p.base_module, p.base_kind), types=types, name=p.robot_name)
            with _errors_name("gait_file"):
                gait = load_gait(p.gait_file)
            self._joints = MovingJoints(gait, p.ease)
            self.live = LiveAssembly.of(assembly, 0, self.now())
        except (ModularDynamicsError, NodeError) as error:
            self.get_logger().error(f"not configured: {error}")
            return False
        make = self.make_publisher
        self._descriptions = make(String, "robot_description", DESCRIPTIONS)
        self._matrices = make(AssemblyIncidenceMatrix, "~/incidence_matrix", LATCHED)
        self._states = make(JointState, "joint_states", QoSProfile(depth=DEPTH))
        self._writer = None
        return True

    def activate(self, state: LifecycleState) -> None:
        """Publish the assembly and start its gait."""
        if self._newest - self.now() > CLOCK_SET_BACK:
            self._newest = 0
        self._began = max(self.now(), self._newest + 1)
        self._use(LiveAssembly.of(self.live.assembly, self.live.revision, self._began), "activated")
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
        self._use(LiveAssembly.of(assembly, self.live.revision + 1, stamp), what)

    def _follow_clock(self) -> None:
        """Continue from the present position if the clock was set back, as by a restarted simulation.

        Stamps continued from the old time would be ahead of the clock, and subscribers would ignore them.
        """
        if (back := self._newest - self.now()) <= CLOCK_SET_BACK:
            return
        self._newest -= back
        self._began -= back
        live = LiveAssembly.of(self.live.assembly, self.live.revision, self._newest)
        self._use(live, f"the clock was set back by {back * 1e-9:.3f} s")

    def _use(self, live: LiveAssembly, what: str) -> None:
        """Activate an assembly, and publish it."""
        self.live, self._newest = live, live.stamp
        self._joints.take(live.joint_names, self._time(live.stamp))
        names, frame = live.joint_names, description_frame(live.assembly.name, live.stamp)
        self._writer = JointStateWriter(names, range(len(names)), ("position", "velocity"), frame)
        self._descriptions.publish(String(data=live.urdf))
        self._matrices.publish(incidence_message(live))
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
            self._state_publisher.send()
        values = {"revision": str(self.live.revision), "joint states sent": str(self._sent)}
        status = status_of("assembly", self._summary(), values, warnings=self.log.current())
        return self.live.assembly.name, [status]


def main() -> int:
    """Run the node as a process."""
    return run_lifecycle_node(AssemblyNode, str(__doc__))
