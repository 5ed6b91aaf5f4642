"""The changes of a node's robot: kept in order, active all or not at all, restored after a restart.

A change is prepared outside the executor. It becomes active between joint states, or is refused and
changes nothing.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import modular_dynamics as md
from modular_dynamics_ros.computation.changes.edits import Applied, applied
from modular_dynamics_ros.computation.changes.file import ChangesFile
from modular_dynamics_ros.computation.changes.kinds import Changes
from modular_dynamics_ros.computation.kept_file import Draft
from modular_dynamics_ros.exceptions import ChangeFileError, RobotError
from modular_dynamics_ros.node.worker import Worker

Edit = Callable[[md.SubsystemGraph, Changes], Changes]
"""Returns a new list of changes from the described graph and the active list. Thread-safe."""

WHOLE = ("attachment", "payload")  # kinds of changes whose removal is logged
ATTEMPTS = 10  # a new description may come while a change is prepared


class NoRobotError(RobotError):
    """The node is not active, or has no robot."""


class Kept(NamedTuple):
    """A robot's name, and the changes that are stored for it."""

    robot: str = ""
    changes: Changes = ()


class _Drafted(NamedTuple):
    """A changed robot, not active yet: what the host has prepared, the file, and its description."""

    prepared: Any
    draft: Draft
    text: str | None


class Reconfiguration:
    """Changes of the active robot.

    Args:
        node: dynamics_node. `active`, `why_no_robot`; `robot_in_force()`: what was prepared of the active
            robot, with `described`, the graph of its description, and `changed`, that graph with the
            changes; `prepare_changed(described, changed)`: the same of a changed robot, which is slow, for
            any thread; `make_changed(prepared)`: a session of it, not active yet; `put_in_force(session)`:
            lets it answer joint states from a stamp [ns] on, which is returned.
        path: of the file that keeps them; empty: none. strict: whether changes with inertias that no body
            can have are refused.
        describe: text of a changed graph that is published once it is active; None: none is.
        publish: publishes it.

    Attributes:
        kept: active, or read from the file while their robot has not come. stamp: of the last change [ns],
        0 before the first.

    Raises:
        ChangeFileError: the file is damaged.
    """

    def __init__(
        self,
        node: Any,
        path: str,
        *,
        strict: bool = False,
        describe: Callable[[md.SubsystemGraph], str] | None = None,
        publish: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._node, self._file = node, ChangesFile(path, strict=strict)
        self._describe, self._publish, self._strict = describe, publish, strict
        stored = self._file.read()
        self.kept = Kept() if stored is None else Kept(*stored)
        self.stamp = 0
        self._has_been_active = False  # whether the file's robot has been active
        self._worker = Worker(node)
        if self.kept.changes:
            count = len(self.kept.changes)
            node.get_logger().info(f"changes_file: {count} changes of '{self.kept.robot}'")

    def destroy(self) -> None:
        """Prepare nothing more; safe to repeat."""
        self._worker.destroy(NoRobotError("the node was cleaned up before the change was prepared"))

    def changed(self, described: md.SubsystemGraph) -> Applied:
        """Return a described robot with its stored changes. Thread-safe."""
        kept = self.kept
        if not kept.changes:
            return Applied(described, ())
        if kept.robot == described.name:
            return applied(described, kept.changes, strict=self._strict, drop=True)
        why = f"they are of the robot '{kept.robot}', and this one is '{described.name}'"
        dropped = tuple(f"{change}: {why}" for change in kept.changes)
        return Applied(described, (), dropped, wanted=kept.changes)

    @property
    def in_force(self) -> Changes:
        """Return the active changes; without a robot, those that wait for it."""
        now = self._node.robot_in_force()
        return self.kept.changes if now is None or now.described.name == self.kept.robot else ()

    def adopt(self, robot: str, changed: Applied) -> None:
        """Adopt these changes with an active description; the others are dropped, or wait for their robot."""
        waits = bool(self.kept.changes) and self.kept.robot != robot and not self._has_been_active
        for text in changed.dropped:
            self._node.get_logger().warning(f"a change {'waits' if waits else 'is dropped'}: {text}")
        if waits:
            return  # a wrong description must not destroy them
        if changed.changes:
            texts = "; ".join(map(str, changed.changes))
            self._node.get_logger().info(f"changes that stay active: {texts}")
        for warning in changed.warnings:
            self._node.get_logger().warning(warning)
        before, self.kept = self.kept, Kept(robot, changed.changes)
        if not self._has_been_active or before == self.kept or not (before.changes or changed.changes):
            self._has_been_active = True  # what does not fit the first description stays in the file
            return
        try:
            self._file.draft(*self.kept).commit()
        except ChangeFileError as error:
            self._node.get_logger().error(str(error))

    def publish_description(self) -> None:
        """Publish the active robot's description, if its topic exists."""
        now = self._node.robot_in_force()
        if self._describe is None or now is None:
            return
        try:
            self._publish(self._describe(now.changed.graph))
        except md.ModularDynamicsError as error:
            self._node.get_logger().error(f"robot_description is not published: {error}")

    async def change(self, edit: Edit, what: str) -> None:
        """Activate the changes that `edit` makes.

        Args:
            what: for the log.

        Raises:
            NoRobotError: not active, or no robot. ModularDynamicsError, NodeError: refused; nothing has
                changed.
        """
        for _ in range(ATTEMPTS):
            now = self._in_force()
            work = partial(self._drafted, now.described, now.changed.changes, edit)
            drafted: _Drafted = await self._worker.run(work, lambda made: made.draft.discard())
            if self._node.active and self._node.robot_in_force() is now:
                break
            drafted.draft.discard()  # another description has come
        else:
            raise RobotError("descriptions come faster than the change can be prepared")
        self._put_in_force(drafted, what, now.changed)

    def _in_force(self) -> Any:
        if not self._node.active:
            raise NoRobotError("the node is not active; activate it first")
        now = self._node.robot_in_force()
        if now is None:
            raise NoRobotError(self._node.why_no_robot)
        return now

    def _drafted(self, described: md.SubsystemGraph, changes: Changes, edit: Edit) -> _Drafted:
        """Prepare an edited robot, which is slow. Thread-safe."""
        changed = applied(described, edit(described, changes), strict=self._strict)
        prepared = self._node.prepare_changed(described, changed)
        text = None if self._describe is None else self._describe(changed.graph)
        return _Drafted(prepared, self._file.draft(described.name, changed.changes), text)

    def _put_in_force(self, drafted: _Drafted, what: str, before: Applied) -> None:
        """Activate a changed robot, and log its warnings except those of the changes before."""
        session = None
        try:
            session = self._node.make_changed(drafted.prepared)
            drafted.draft.commit()
        except Exception:
            drafted.draft.discard()
            if session is not None:
                session.destroy()
            raise
        changed: Applied = drafted.prepared.changed
        self.stamp = self._node.put_in_force(session)
        self.kept, self._has_been_active = Kept(drafted.prepared.described.name, changed.changes), True
        log = self._node.get_logger()
        for warning in changed.warnings:
            if warning not in before.warnings:
                log.warning(warning)
        gone = [
            f"no more: {one}" for one in before.changes if one.kind in WHOLE and one not in changed.changes
        ]
        log.info("; ".join([what, *gone, f"{len(changed.changes)} active changes"]))
        if drafted.text is not None:
            self._publish(drafted.text)
