"""MJCF text, file or object -> MuJoCo's compiled model. The only `import mujoco`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from threading import Lock
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..exceptions import MissingDependencyError, MjcfError
from ..optional_packages import EXTRAS, import_failure, needed
from ..text.files import is_file, path_of
from ..urdf.source import read_source

# Values of MuJoCo's enumerations that are read: only code that calls MuJoCo has to import it.

#: mjtJoint.
Joint = SimpleNamespace(FREE=0, BALL=1, SLIDE=2, HINGE=3)
#: mjtEq.
Equality = SimpleNamespace(CONNECT=0, WELD=1, JOINT=2, TENDON=3)
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
#: mjtTrn: what an actuator acts on. mjtWrap: what a tendon passes. mjtObj.
Transmission = SimpleNamespace(JOINT=0, JOINTINPARENT=1, TENDON=3)
Wrap = SimpleNamespace(JOINT=1, SITE=3)
Object = SimpleNamespace(BODY=1, SITE=6)
#: mjtSameFrame: an inertial frame that is the body's, or has its axes.
SameFrame = SimpleNamespace(BODY=1, BODYROT=3)
#: mjtDisableBit: what the file switches off.
Disable = SimpleNamespace(CONSTRAINT=1, EQUALITY=2, FRICTIONLOSS=4, SPRING=32, DAMPER=64, GRAVITY=128)

#: The root element; before it a declaration and comments are allowed.
_ROOT = re.compile(r"\ufeff?(?:\s|<!--.*?-->|<\?.*?\?>)*<(\w+)", re.DOTALL)
#: In older versions these numbers differ.
_OLDEST = (3, 17)
#: Held while warnings are received: MuJoCo has one receiver for the whole process.
_RECEIVER = Lock()


class Compiled(NamedTuple):
    """A compiled model (mujoco.MjModel), MuJoCo's warnings about it, and the file, which begins messages."""

    model: Any
    warnings: list[str]
    where: str = ""


def mujoco_module() -> Any:
    """Return the package mujoco. Raises MissingDependencyError: it cannot be imported, or is too old."""
    with needed("load_mjcf", "MuJoCo", "mjcf"):
        import mujoco  # noqa: PLC0415  # optional, and slow to import
    version = mujoco.__version__
    if tuple(map(int, version.split(".")[:2])) < _OLDEST:
        enough = f"MuJoCo {'.'.join(map(str, _OLDEST))} or newer"
        failure = import_failure(None, EXTRAS["mjcf"], too_old=version)
        raise MissingDependencyError("load_mjcf", enough, "mjcf", failure)
    return mujoco


def compiled(source: Any) -> Compiled:
    """Return the compiled model of an MJCF text, a file, an MjSpec or an MjModel.

    A path lets MuJoCo find included files and meshes beside it. An MjSpec is left as it is.

    Raises:
        MjcfError: no such file, one that cannot be read, not MJCF, more than 20 MB, or what MuJoCo's compiler
            refuses, in its words.
        MissingDependencyError: MuJoCo is not installed.
    """
    mujoco = mujoco_module()
    if isinstance(source, mujoco.MjModel):
        return Compiled(source, [])
    if isinstance(source, mujoco.MjSpec):
        return _compile(source.copy().compile)
    is_binary = isinstance(source, str | PathLike) and str(source)[-4:].lower() == ".mjb"  # a compiled model
    if is_binary and is_file(path := path_of(source)):
        return _compile(mujoco.MjModel.from_binary_path, str(path), where=f"'{path}': ")
    description = read_source(source, "MJCF", MjcfError)
    where = "the text" if description.path is None else description.where
    root = _ROOT.match(description.text)
    if root and root.group(1) not in ("mujoco", "mujocoinclude"):
        hint = " (a URDF: load it with load_urdf)" if root.group(1) == "robot" else ""
        raise MjcfError(f"the root element of {where} is <{root.group(1)}>, not <mujoco>{hint}")
    if description.path is None:
        return _compile(mujoco.MjModel.from_xml_string, description.text.lstrip("\ufeff \t\r\n"))
    return _compile(mujoco.MjModel.from_xml_path, description.path, where=f"{where}: ")


def _compile(function: Any, *arguments: str, where: str = "") -> Compiled:
    """Return the model that a function of MuJoCo makes, with its warnings. Raises MjcfError: it fails."""
    with _warnings_received() as warnings:
        try:
            return Compiled(function(*arguments), warnings, where)
        except Exception as error:  # ValueError, or mujoco.FatalError, which derives from Exception alone
            raise MjcfError(f"{where}MuJoCo: {' '.join(str(error).split())}") from error


@contextmanager
def _warnings_received() -> Iterator[list[str]]:
    """Collect MuJoCo's warnings, which it would otherwise write to a file in the current folder."""
    mujoco, warnings = mujoco_module(), list[str]()
    with _RECEIVER:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda text: warnings.append(f"MuJoCo: {' '.join(text.split())}"))
        try:
            yield warnings
        finally:
            mujoco.set_mju_user_warning(before)
