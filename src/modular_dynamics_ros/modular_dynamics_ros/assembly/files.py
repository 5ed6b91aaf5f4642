"""Assemblies, kinds of modules and gaits in files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from modular_dynamics.exceptions import ModularDynamicsError
from modular_dynamics.modular import Assembly, IncidenceMatrix, ModuleType, gaits, read_module_type
from modular_dynamics_ros.exceptions import AssemblyFileError

__all__ = ["load_assembly", "load_gait", "load_types", "save_assembly"]

FORMATS = (".yaml", ".yml", ".csv")


def load_types(paths: Sequence[str]) -> Mapping[str, ModuleType]:
    """Kinds of modules by name, in addition to the shipped ones.

    Raises:
        AssemblyFileError: a file that is none.
    """
    try:
        types = [read_module_type(path) for path in paths]
    except (ModularDynamicsError, OSError) as error:
        raise AssemblyFileError(str(error)) from error
    return {kind.name: kind for kind in types}


def load_assembly(path: str, types: Mapping[str, ModuleType], name: str) -> Assembly:
    """The assembly whose incidence matrix a file holds.

    Raises:
        AssemblyFileError: no such file, or no incidence matrix in it.
        AssemblyError, UnknownNameError: there is no such assembly.
    """
    read = IncidenceMatrix.from_csv if _format(path) == ".csv" else IncidenceMatrix.from_yaml
    try:
        matrix = read(Path(path))
    except (ModularDynamicsError, OSError) as error:
        raise AssemblyFileError(str(error)) from error
    return Assembly.from_incidence_matrix(matrix, types=types, name=name)


def save_assembly(assembly: Assembly, path: str, overwrite: bool) -> None:
    """Write the incidence matrix of an assembly.

    Raises:
        AssemblyFileError: neither .yaml nor .csv; a file that exists, without `overwrite`; or that cannot be
            written.
    """
    matrix = assembly.incidence_matrix()
    text = matrix.to_csv() if _format(path) == ".csv" else matrix.to_yaml()
    try:
        with Path(path).open("w" if overwrite else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise AssemblyFileError(f"file '{path}' exists; set overwrite to replace it") from None
    except OSError as error:
        raise AssemblyFileError(f"file '{path}' cannot be written: {error.strerror}") from error


def load_gait(path: str, seed: int) -> "gaits.Gait | None":
    """The gait in a YAML file; None without a file.

    Args:
        seed: of its first states, instead of the file's; -1: the file's.

    Raises:
        GaitError: a file that is none.
    """
    if not path:
        return None
    gait = gaits.load(Path(path))
    mapping = gait.mapping()
    return gaits.load({**mapping, "seed": seed}) if seed >= 0 and "seed" in mapping else gait


def _format(path: str) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise AssemblyFileError(f"file '{path}': a name with .yaml or .csv at its end is needed")
    if Path(path).is_fifo():  # opening it would wait for another process, and the node with it
        raise AssemblyFileError(f"'{path}' is a named pipe; a regular file is needed")
    return suffix
