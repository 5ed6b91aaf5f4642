"""What the generators share: a joint as text, and the command line that writes or checks a file."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from modular_dynamics.text.yaml_text import documents

#: Folder of the generated files.
FOLDER = Path(__file__).resolve().parents[1]


def joint_xml(
    name: str, kind: str, ends: tuple[str, str], origin: str, axis: str, limits: Mapping[str, Any]
) -> str:
    """Write a moving joint from ends[0] to ends[1]; ``origin``: attributes of that tag."""
    values = " ".join(f'{key}="{value}"' for key, value in limits.items())
    return f"""<joint name="{name}" type="{kind}">
    <parent link="{ends[0]}"/>
    <child link="{ends[1]}"/>
    <origin {origin}/>
    <axis xyz="{axis}"/>
    <limit {values}/>
  </joint>"""


def run(
    name: str, make_text: Callable[..., str], table: Path | None = None, option: str = "", what: str = ""
) -> int:
    """Write FOLDER/name, or with --check only compare; return the exit status.

    ``make_text`` gets the content of a YAML table, where there is one; ``option`` names another file.
    """
    parser = argparse.ArgumentParser(description=f"Write {name}.")
    parser.add_argument("--out", type=Path, default=FOLDER / name, help="file to write")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file differs")
    if table is not None:
        parser.add_argument(option, dest="table", type=Path, default=table, help=f"YAML table of {what}")
    arguments = parser.parse_args()
    tables = [arguments.table] if table is not None else []
    text = make_text(*(documents(path.read_text(encoding="utf-8"), str(path))[0] for path in tables))
    path = arguments.out
    if not arguments.check:
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
        return 0
    current = path.read_text(encoding="utf-8") if path.is_file() else None
    if current == text:
        print(f"{path.name} is up to date")
        return 0
    state = "missing" if current is None else "out of date"
    print(f"{path.name} is {state}: run python -m urdf.generators.{path.stem}", file=sys.stderr)
    return 1
