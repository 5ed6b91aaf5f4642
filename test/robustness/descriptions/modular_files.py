"""Damaged files of modular robots: module types, incidence matrices, gaits; what is computed from them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import modular_dynamics as md
from helpers.paths import ROOT
from helpers.random_examples.assemblies import random_assembly
from helpers.robots.paper_organism import organism
from modular_dynamics import modular
from modular_dynamics.modular import (
    Assembly,
    IncidenceMatrix,
    ModuleType,
    gaits,
    read_module_type,
)

from .computations import Wrong, compute

__all__ = ["FILES", "DamagedFile"]

_MODULES = sorted((Path(modular.__file__).parent / "modules/shipped").glob("*.yaml"))
_MATRICES = [one.incidence_matrix() for one in (organism(), random_assembly(1), random_assembly(2))]
_GAITS = sorted((ROOT / "config/gaits").glob("*.yaml"))
_MOST_BODIES = 60  # of an assembly that is compared with Pinocchio


class DamagedFile(NamedTuple):
    """``texts``: to damage. ``read``: a file. ``use``: what it holds, with a seed; raises Wrong."""

    texts: list[str]
    read: Callable[[Path], Any]
    use: Callable[[Any, int], str]


def _use_module_type(kind: ModuleType, seed: int) -> str:
    return compute(Assembly(("v0", kind.name), types={kind.name: kind}).graph(), seed)


def _use_matrix(aim: IncidenceMatrix, seed: int) -> str:
    if IncidenceMatrix.from_yaml(aim.to_yaml()) != aim:
        raise Wrong(f"another matrix after writing and reading: {aim}")
    try:
        graph = Assembly.from_incidence_matrix(aim).graph()
    except md.ModularDynamicsError:  # kinds and faces that no module has
        return "no assembly"
    return compute(graph, seed) if len(graph.bodies) <= _MOST_BODIES else "large"


def _use_gait(gait: gaits.Gait, seed: int) -> str:
    for values in gait.states([0.0, 0.3, 1.0]):
        if not np.isfinite(values).all():
            raise Wrong(f"gait: {values}")
    return "gait"


FILES: dict[str, DamagedFile] = {
    "module type": DamagedFile(
        [path.read_text("utf-8") for path in _MODULES], read_module_type, _use_module_type
    ),
    "matrix": DamagedFile([aim.to_yaml() for aim in _MATRICES], IncidenceMatrix.from_yaml, _use_matrix),
    "gait": DamagedFile([path.read_text("utf-8") for path in _GAITS], gaits.load, _use_gait),
}
