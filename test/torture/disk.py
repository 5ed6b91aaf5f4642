"""No room on the disk: no file may grow, neither a cache nor a log, while the node compiles and answers."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from torture.harness.effort import Effort
from torture.harness.judge import Judge
from torture.harness.robots import joint_names, tree_urdf
from torture.harness.tally import Tally
from torture.harness.target import START, Target

__all__ = ["run"]

JOINTS = 6
FULL = 32  # [KiB] of the small file system: a piece of machine code does not fit


def run(effort: Effort, tally: Tally) -> None:
    """A node with an empty cache on a full file system; one whose files may not grow; one without a home."""
    urdf = tree_urdf(JOINTS)
    before = {name: os.environ.get(name) for name in ("NUMBA_CACHE_DIR", "ROS_LOG_DIR", "HOME")}
    folder = Path(tempfile.mkdtemp(prefix="torture_disk_"))
    cases = [("log on a full device", {"ROS_LOG_DIR": "/dev/full/log"}), ("no home", {"HOME": "/dev/null"})]
    if not effort.short:  # these nodes compile what they need
        unwritable = folder / "file"
        unwritable.write_text("no folder")
        cases.append(("cache in a file", {"NUMBA_CACHE_DIR": str(unwritable)}))
        if _small_file_system(folder / "small"):
            cases.append(("full file system", {"NUMBA_CACHE_DIR": str(folder / "small")}))
        else:
            tally.notes.append("no small file system: mounting one takes root; files may not grow instead")
            (folder / "empty").mkdir()
            cases.append(("files that may not grow", {"NUMBA_CACHE_DIR": str(folder / "empty")}))
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
        if os.path.ismount(folder / "small"):
            subprocess.run(["umount", folder / "small"], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def _restore(environment: dict[str, str | None]) -> None:
    for name, value in environment.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _small_file_system(folder: Path) -> bool:
    """Mount one of FULL; whether that is possible here."""
    folder.mkdir()
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={FULL}k", "tmpfs", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
