"""Module types from YAML files and mappings."""

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

from ....exceptions import DescriptionError
from ....text.files import given_text
from ....text.sizes import MAX_YAML_BYTES
from ....text.yaml_text import documents
from ..module_type import ModuleType
from .element import Element
from .mapping import module_type_from
from .sources import folder_of

__all__ = ["read_module_type", "read_module_types"]

_NEEDED = "a mapping (name, root, bodies, ports, ...)"
_KIND = "file of module types"
_ENDINGS = (".yaml", ".yml")


def read_module_type(source: str | PathLike[str] | Mapping[str, Any]) -> ModuleType:
    """Return the module type of a YAML file (docs/modular_modules.md).

    Args:
        source: the path of a file, YAML text of several lines, or a mapping of the same form.

    Raises:
        DescriptionError: no such file, not YAML, or no module type; names the file, the line, the element as
            'bodies/cube/mass', its value, and what would be right.
    """
    if isinstance(source, Mapping):
        return module_type_from(Element.top(source, "module type", _NEEDED))
    name, text = given_text(source, _KIND, MAX_YAML_BYTES)
    found = documents(text, name)
    if len(found) > 1:
        raise DescriptionError(f"{len(found)} module types; read_module_types() reads several", name)
    return module_type_from(Element.top(found[0] if found else None, name, _NEEDED))


def read_module_types(source: str | PathLike[str]) -> dict[str, ModuleType]:
    """Return several module types by name: those of a folder's .yaml and .yml files, or of one file.

    A file may hold several, separated by lines of '---'.

    Raises:
        DescriptionError: as :func:`read_module_type`; two types of one name, or no file in the folder.
    """
    if (folder := folder_of(source)) is None:
        return _by_name(_types_in(source))
    files = sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS)
    if not files:
        raise DescriptionError(
            f"no file that ends with {' or '.join(_ENDINGS)}", str(folder), unreadable=True
        )
    return _by_name(found for file in files for found in _types_in(file))


def _types_in(source: str | PathLike[str]) -> Iterator[tuple[str, ModuleType]]:
    """Yield each module type with its file's name."""
    name, text = given_text(source, _KIND, MAX_YAML_BYTES)
    for document in documents(text, name) or [None]:
        yield name, module_type_from(Element.top(document, name, _NEEDED))


def _by_name(found: Iterator[tuple[str, ModuleType]]) -> dict[str, ModuleType]:
    types: dict[str, ModuleType] = {}
    files: dict[str, str] = {}
    for file, kind in found:
        if kind.name in types:
            raise DescriptionError(
                f"a second module type '{kind.name}'; the first is in {files[kind.name]}", file
            )
        types[kind.name], files[kind.name] = kind, file
    return types
