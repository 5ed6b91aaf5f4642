"""What kernels call of `math`, of symbols; of numbers it is `math` itself."""

import math

from .program import Symbol

__all__ = ["atan2", "cos", "floor", "hypot", "pi", "sin", "sqrt"]

pi = math.pi
Value = Symbol | float


def sin(angle: Value) -> Value:
    """Sine."""
    return angle.program.sine(angle) if isinstance(angle, Symbol) else math.sin(angle)


def cos(angle: Value) -> Value:
    """Cosine."""
    return angle.program.cosine(angle) if isinstance(angle, Symbol) else math.cos(angle)


def sqrt(square: Value) -> Value:
    """Square root."""
    return square.program.root(square) if isinstance(square, Symbol) else math.sqrt(square)


def floor(value: Value) -> Value:
    """The largest integer that is not larger."""
    return value.program.floor(value) if isinstance(value, Symbol) else math.floor(value)


def hypot(x: Value, y: Value) -> Value:
    """Length of a vector; of symbols the root of the squares, which a robot's lengths do not overflow."""
    if isinstance(x, Symbol) or isinstance(y, Symbol):
        return sqrt(x * x + y * y)
    return math.hypot(x, y)


def atan2(y: Value, x: Value) -> Value:
    """Angle of a vector."""
    if isinstance(y, Symbol):
        return y.program.angle(y, x if isinstance(x, Symbol) else y.program.constant(x))
    return x.program.angle(x.program.constant(y), x) if isinstance(x, Symbol) else math.atan2(y, x)
