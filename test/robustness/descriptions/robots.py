"""Texts of small robots with closed loops, as the tests of the library build them."""

from collections.abc import Callable
from unittest import mock

import modular_dynamics as md
from helpers.robots import parallel_mechanisms, planar_mechanisms, planar_robots, spatial_mechanisms
from helpers.robots.small_torso import small_torso_text

__all__ = ["closed_loop_texts"]

_LOADED: tuple[Callable[[], object], ...] = (
    lambda: planar_robots.four_bar().graph(),
    lambda: planar_mechanisms.slider_crank().graph(),
    lambda: planar_mechanisms.crane().graph(),
    lambda: planar_mechanisms.chained().graph(),
    lambda: planar_mechanisms.mimicked().graph(),
    lambda: planar_mechanisms.yoke().graph(),
    spatial_mechanisms.spinning_rod,
    spatial_mechanisms.cut_rod,
    spatial_mechanisms.platform,
)


def closed_loop_texts() -> list[str]:
    """Four-bars, cranks, rods, legs and tables: with loop joints, gears and passive joints."""
    built = [parallel_mechanisms.ankle(), parallel_mechanisms.delta()]
    built += [parallel_mechanisms.bricard(), parallel_mechanisms.sarrus()]
    texts = [one if isinstance(one, str) else one.urdf() for one in built] + [small_torso_text()]
    load = md.load_urdf

    def recorded(source: str, *arguments: object, **keywords: object) -> md.SubsystemGraph:
        texts.append(source)
        return load(source, *arguments, **keywords)

    with mock.patch.object(md, "load_urdf", recorded):
        for build in _LOADED:
            build()
    return texts
