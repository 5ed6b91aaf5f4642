"""Services of assembly_node: every error becomes a response, and leaves the assembly as it was."""

from collections.abc import Callable
from typing import Any, Protocol

from modular_dynamics_interfaces.srv import Dock, LoadAssembly, SaveAssembly, Undock
from rclpy.node import Node

from modular_dynamics.exceptions import ModularDynamicsError, UnknownNameError
from modular_dynamics.modular import Assembly
from modular_dynamics_ros.assembly.files import load_assembly, save_assembly
from modular_dynamics_ros.assembly.live_assembly import LiveAssembly
from modular_dynamics_ros.diagnostics.failures import described, one_line
from modular_dynamics_ros.exceptions import AssemblyFileError
from modular_dynamics_ros.messages.stamps import stamp_message
from modular_dynamics_ros.node.topics import REQUESTS

__all__ = ["AssemblyServices", "Host"]


Change = Callable[[Assembly], Assembly]


class Host(Protocol):
    """What the services need of their node."""

    configured: bool
    active: bool
    live: LiveAssembly  # while configured

    def change(self, make: Change, what: str) -> None:
        """Activate the assembly that `make` returns for the present one; `what`: for the log."""


class AssemblyServices:
    """dock, undock, load and save: there as long as their node, and refused while it is not active."""

    def __init__(self, node: Node, host: Host) -> None:
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
