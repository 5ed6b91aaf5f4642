"""No room on the disk: no file may grow, no log can be written, while the node answers."""

import os

from torture.harness.effort import Effort
from torture.harness.judge import Judge
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.harness.target import START, Target

__all__ = ["run"]

JOINTS = 6


def run(effort: Effort, tally: Tally) -> None:
    """A node whose log is on a full device; one whose files may not grow; one without a home."""
    urdf = tree_urdf(JOINTS)
    before = {name: os.environ.get(name) for name in ("ROS_LOG_DIR", "HOME")}
    cases: list[tuple[str, dict[str, str]]] = [
        ("log on a full device", {"ROS_LOG_DIR": "/dev/full/log"}),
        ("no home", {"HOME": "/dev/null"}),
        ("files that may not grow", {}),
    ]
    try:
        for number, (text, changes) in enumerate(cases):
            os.environ.update(changes)
            with Target(Judge(tally, urdf, joint_names(JOINTS)), effort.folder / "disk") as target:
                target.describe(urdf)
                target.start()
                if "grow" in text:
                    import resource

                    target.limit(resource.RLIMIT_FSIZE, 4096)
                if target.recovers(text, 3.0 * START):
                    target.send_for(1.0)
                    target.recovers(text)
                    target.end()
            _restore(before)
            effort.progress((number + 1) / len(cases))
    finally:
        _restore(before)


def _restore(environment: dict[str, str | None]) -> None:
    for name, value in environment.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
