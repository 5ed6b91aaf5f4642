"""Pictures that `make demo` left in out/demo/."""

from pathlib import Path

from docs.generate._pictures import copy_picture

ROOT = Path(__file__).resolve().parents[2]


def make(out: Path) -> None:
    """Copy the torques and the subsystem graph of the care robot."""
    for name in ("torques.png", "subsystem_graph.png"):
        copy_picture(ROOT / "out/demo" / name, out / f"demo_{name}", "make demo")
