"""Tables and pictures of the papers' pages, from what `make papers` left in out/papers/."""

import json
from pathlib import Path
from typing import Any

from docs.generate._pictures import copy_picture
from papers.report import number_text

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "modular_composition": "paper-silva",
    "modular_robots": "paper-meister",
    "closed_loop_elimination": "paper-schappler",
    "four_bar_denoc": "paper-kumar",
    "charmie_torso": "paper-goncalves",
}


def make(out: Path) -> None:
    """Write paper_NAME.md, and the pictures that it shows, for each paper."""
    for name, command in COMMANDS.items():
        folder = ROOT / "out/papers" / name
        if not (folder / "manifest.json").exists():
            raise SystemExit(f"{folder}/manifest.json is missing: make {command} writes it")
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        lines = [_origin(manifest, command), ""]
        for table in dict.fromkeys(cell["table"] for cell in manifest["cells"]):
            cells = [cell for cell in manifest["cells"] if cell["table"] == table]
            lines += [f"**{table}**", "", *_table(cells), ""]
        for note in manifest["notes"]:  # tables of characters keep their columns
            lines += ["```text", note.rstrip(), "```", ""] if "│" in note else [f"{note}\n"]
        for picture in manifest["pictures"]:
            target = out / f"{name}_{picture}"
            copy_picture(folder / picture, target, f"make {command}")
            lines += [f"![{Path(picture).stem.replace('_', ' ')}](../generated/{target.name})", ""]
        (out / f"paper_{name}.md").write_text("\n".join(lines), "utf-8")


def _origin(manifest: dict[str, Any], command: str) -> str:
    versions = manifest["versions"]
    asked = [cell["passed"] for cell in manifest["cells"] if cell["passed"] is not None]
    return (
        f"`make {command}`, {manifest['date'][:10]}, {manifest['machine']['processor']}, Python "
        f"{versions['python']}, NumPy {versions['numpy']}, MuJoCo {versions['mujoco']}, Pinocchio "
        f"{versions['pin']}: {sum(asked)} of {len(asked)} numbers "
        f"within their bounds, {manifest['seconds']:.0f} s."
    )


def _table(cells: list[dict[str, Any]]) -> list[str]:
    rows = ["| | paper | ours | bound | within |", "|---|---|---|---|---|"]
    for cell in cells:
        paper = "" if cell["paper"] is None else number_text(cell["paper"])
        bound = (
            "" if cell["within"] is None else f"{'≤' if cell['paper'] is None else '±'} {cell['within']:g}"
        )
        verdict = {True: "yes", False: "**no**", None: ""}[cell["passed"]]
        texts = (cell["what"], paper, number_text(cell["ours"]), bound, verdict)
        rows.append("| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in texts) + " |")
    return rows
