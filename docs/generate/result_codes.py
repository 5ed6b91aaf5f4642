"""Table of the services' result codes, from their definitions."""

import re
from pathlib import Path

SERVICES = Path(__file__).resolve().parents[2] / "src/modular_dynamics_interfaces/srv"
CODE = re.compile(r"^uint16 (\w+)=(\d+) *(?:# (.*))?$", re.M)


def make(out: Path) -> None:
    """Write result_codes.md: a table for all services with the same codes."""
    tables: dict[str, list[str]] = {}
    for path in sorted(SERVICES.glob("*.srv")):
        reply = path.read_text("utf-8").partition("---\n")[2]
        rows = "".join(
            f"| {number} | `{name}` | {what or 'success'} |\n" for name, number, what in CODE.findall(reply)
        )
        tables.setdefault(rows, []).append(f"`{path.stem}`")
    text = "\n".join(
        f"{', '.join(services)}:\n\n| error_code | name | when |\n|---|---|---|\n{rows}"
        for rows, services in tables.items()
    )
    (out / "result_codes.md").write_text(text, "utf-8")
