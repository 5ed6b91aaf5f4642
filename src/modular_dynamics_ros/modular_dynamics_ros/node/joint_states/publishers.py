"""Who publishes joint states."""

from collections.abc import Sequence

from modular_dynamics_ros.node.interfaces import SessionNode

__all__ = ["Publishers"]

#: Name of a node, to the middleware, of which it knows a publisher before the node itself.
UNKNOWN = "_NODE_NAME_UNKNOWN_"
PERIOD = 1_000_000_000  # [ns] after which the middleware is asked again: it takes longer than an answer


class Publishers:
    """The full names of the nodes that publish joint_states, one for each publisher."""

    def __init__(self, node: SessionNode) -> None:
        self._node, self._next = node, 0
        self._names: Sequence[str] = ()

    def __call__(self) -> Sequence[str]:
        """Return the publishers of the last second."""
        if (now := self._node.steady()) >= self._next:
            infos = self._node.get_publishers_info_by_topic("joint_states")
            known = [one for one in infos if one.node_name != UNKNOWN]
            names = [f"{one.node_namespace.rstrip('/')}/{one.node_name}" for one in known]
            self._names = sorted([*names, *["a node that is not known yet"] * (len(infos) - len(known))])
            self._next = now + PERIOD if len(known) == len(infos) else now
        return self._names
