"""Pages of the site that stand elsewhere in the repository: articles on the papers, and on the robots.

Their links, and links to them, are written as files of the repository see each other; here they are turned to
links within the site.
"""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/articles"
URDF = "src/modular_dynamics_bringup/urdf"
PAPERS = [
    "modular_composition",
    "modular_robots",
    "closed_loop_elimination",
    "four_bar_denoc",
    "charmie_torso",
]
#: source in the repository -> page in docs/articles/
PAGES = {
    **{f"papers/{name}/README.md": name for name in PAPERS},
    "papers/misprints.md": "misprints",
    f"{URDF}/README.md": "robots",
    f"{URDF}/charmie.md": "charmie_model",
}
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def write_articles() -> None:
    """Write the pages; those of papers end with the tables and pictures of their commands."""
    FOLDER.mkdir(exist_ok=True)
    for source, name in PAGES.items():
        text = with_links(ROOT / source, FOLDER)
        if name in PAPERS:
            results = f"```{{include}} ../generated/paper_{name}.md\n:relative-images:\n```"
            text = f"{text.rstrip()}\n\n## Results\n{results}\n"
        page = FOLDER / f"{name}.md"
        if not page.exists() or page.read_text("utf-8") != text:  # else Sphinx would read it again
            page.write_text(text, "utf-8")


def with_links(source: Path, folder: Path, text: str | None = None) -> str:
    """Return a page's text with its links as seen from a folder of docs/; those out of the site are text."""

    def moved(link: re.Match[str]) -> str:
        words, target = link.groups()
        path, mark, heading = target.partition("#")
        if re.match(r"\w+:", target) or not path:
            return link[0]
        file = source.parent.joinpath(path).resolve()
        if (name := PAGES.get(os.path.relpath(file, ROOT))) is not None:
            file = FOLDER / f"{name}.md"
        elif file.is_dir() or (file.suffix == ".md" and ROOT / "docs" not in file.parents):
            return words
        return f"[{words}]({os.path.relpath(file, folder)}{mark}{heading})"

    return LINK.sub(moved, source.read_text("utf-8") if text is None else text)
