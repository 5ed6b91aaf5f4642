"""What `graph.compile()` made: pieces of machine code, and their times beside those of the loops."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CompileReport", "GeneratedCode"]


@dataclass(frozen=True)
class GeneratedCode:
    """One piece of generated code beside the compiled loops that it can replace.

    Attributes:
        form: "single" (one state) or "batch" (many).
        address: of its machine code in this process.
        operations: floating-point instructions for one state. size: of its machine code [bytes].
        seconds: spent on compiling it, or on reading it from the disk. cached: whether it was read.
        loops_us, code_us: time for one state of the loops and of the code [us].
    """

    algorithm: str
    form: str
    dtype: str
    address: int
    operations: int
    size: int
    seconds: float
    cached: bool
    loops_us: float
    code_us: float

    @property
    def used(self) -> bool:
        """Whether it replaces the loops: it is faster."""
        return self.code_us < self.loops_us


@dataclass(frozen=True)
class CompileReport:
    """What `graph.compile()` made, where it came from, and how fast it is. Printable.

    Attributes:
        left_out: one line for each algorithm without generated code: which, and why.
        seconds: that `graph.compile()` took.
    """

    robot: str
    pieces: tuple[GeneratedCode, ...]
    left_out: tuple[str, ...]
    seconds: float

    @property
    def cached(self) -> bool:
        """Whether everything was read from the disk."""
        return all(piece.cached for piece in self.pieces)

    @property
    def operations(self) -> dict[str, int]:
        """Floating-point instructions for one state, by algorithm."""
        return {piece.algorithm: piece.operations for piece in self.pieces}

    def __str__(self) -> str:
        source = "from the cache" if self.cached else "compiled"
        lines = [f"'{self.robot}': generated code {source} in {self.seconds:.2f} s; us per state"]
        lines.append(f"{'':46}{'operations':>11}{'kB':>6}{'s':>7}{'loops':>9}{'code':>9}  used")
        for one in self.pieces:
            name = f"{one.algorithm}, {one.form}, {one.dtype}"
            lines.append(
                f"{name:46}{one.operations:11}{one.size / 1000:6.0f}{one.seconds:7.2f}"
                f"{one.loops_us:9.3f}{one.code_us:9.3f}  {'yes' if one.used else 'no'}"
            )
        return "\n".join([*lines, *self.left_out])
