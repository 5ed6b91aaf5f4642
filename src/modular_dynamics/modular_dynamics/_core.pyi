"""The compiled core (src/module.cpp): robots as arrays, and the dynamics on NumPy arrays."""

from typing import Any

processor: str
lanes: int
kernels: list[str]

class Robot:
    def __init__(self, **arrays: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class Frames:
    def __init__(self, robot: Robot, **arrays: Any) -> None: ...
