"""MJCF text, file or object -> MuJoCo's compiled model. The only `import mujoco`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any, NamedTuple

from ..exceptions import MissingDependencyError, MjcfError
from ..optional_packages import EXTRAS, import_failure, needed
from ..text.files import content_kind, content_of, is_file, path_of
from ..text.sizes import MAX_BYTES

# Values of MuJoCo's enumerations that are read: only code that calls MuJoCo has to import it.

#: mjtJoint, and lengths of joints' velocities.
Joint = SimpleNamespace(FREE=0, BALL=1, SLIDE=2, HINGE=3)
VELOCITIES = (6, 3, 1, 1)
#: mjtEq.
Equality = SimpleNamespace(CONNECT=0, WELD=1, JOINT=2, TENDON=3)
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
#: mjtTrn: what an actuator acts on. mjtWrap: what a tendon passes. mjtObj.
Transmission = SimpleNamespace(JOINT=0, JOINTINPARENT=1, TENDON=3)
Wrap = SimpleNamespace(JOINT=1, SITE=3)
Object = SimpleNamespace(BODY=1, SITE=6)
#: mjtSameFrame: an inertial frame that is the body's, or has its axes. mjtConstraint, mjtJacobian.
SameFrame = SimpleNamespace(BODY=1, BODYROT=3)
Constraint = SimpleNamespace(EQUALITY=0)
Jacobian = SimpleNamespace(DENSE=0)
#: mjtDisableBit: what the file switches off.
Disable = SimpleNamespace(CONSTRAINT=1, EQUALITY=2, FRICTIONLOSS=4, SPRING=32, DAMPER=64, GRAVITY=128)

#: The root element; before it a declaration and comments are allowed.
_ROOT = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?.*?\?>)*<(\w+)", re.DOTALL)
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

    A path, also that of an open file, lets MuJoCo find included files and meshes beside it. An MjSpec is left
    as it is.

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
    content = _read(source) if hasattr(source, "read") else source
    if isinstance(content, bytes | bytearray | memoryview):
        content = _decoded(bytes(content))
    if isinstance(content, str) and content.lstrip("\ufeff \t\r\n").startswith("<"):
        _check_root(content.encode(), "the text")
        return _compile(mujoco.MjModel.from_xml_string, content.lstrip("\ufeff \t\r\n"))
    if isinstance(content, str) and (not content.strip() or "\n" in content):
        shown = content.strip()[:40]
        text = f"neither MJCF text (it would start with '<') nor the path of a file: '{shown}'"
        raise MjcfError(text, unreadable=True)
    if not isinstance(content, str | PathLike):
        raise MjcfError(
            f"an object of type {type(source).__name__} is no source of an MJCF; its text, its bytes, the "
            "path of a file, an open file, an MjSpec or an MjModel is needed",
            unreadable=True,
        )
    return _from_path(mujoco, path_of(content))


def _read(file: Any) -> Any:
    """Return the path of an open file, or its content if it has no path."""
    name = getattr(file, "name", None)
    try:
        content = file.read()
    except (OSError, ValueError, TypeError) as error:  # closed, write-only, or not text
        shown = f"'{name}'" if name else "it"
        raise MjcfError(f"{shown} cannot be read: {error}", unreadable=True) from None
    return Path(name) if isinstance(name, str) and is_file(Path(name)) else content


def _from_path(mujoco: Any, path: Path) -> Compiled:
    """Return the compiled model of an MJCF file or of a binary model (.mjb)."""
    if path.suffix.lower() == ".mjb" and is_file(path):  # a compiled model
        with suppress(OSError), open(path, "rb") as file:
            if kind := content_kind(file.read(200)):
                raise MjcfError(f"'{path}' is no compiled model of MuJoCo, but {kind}")
        return _compile(mujoco.MjModel.from_binary_path, str(path), where=f"'{path}': ")
    content = content_of(path, "MJCF file", MAX_BYTES, MjcfError)
    _check_root(content, f"'{path}'")
    return _compile(mujoco.MjModel.from_xml_path, str(path), where=f"'{path}': ")


def _decoded(content: bytes) -> str:
    """Return bytes as text. Raises MjcfError: not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MjcfError(f"the MJCF is not text in encoding utf-8: {error}") from None


def _check_root(content: bytes, where: str) -> None:
    """Raise MjcfError if a text is too large or has another root element than MJCF."""
    if len(content) > MAX_BYTES:
        raise MjcfError(f"{where} has {len(content)} bytes; at most {MAX_BYTES} are accepted")
    found = _ROOT.match(content)
    tag = found.group(1).decode() if found else ""
    if found and tag not in ("mujoco", "mujocoinclude"):
        hint = " (a URDF: load it with load_urdf)" if tag == "robot" else ""
        raise MjcfError(f"the root element of {where} is <{tag}>, not <mujoco>{hint}")


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
