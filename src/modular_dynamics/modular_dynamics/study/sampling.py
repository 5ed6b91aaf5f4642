"""The numbers of designs, each from its index alone: any worker can make any chunk."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .study import Input, Sampling

__all__ = ["designs_between"]

Array = NDArray[np.float64]
#: Random numbers that Philox makes at a time.
_BLOCK = 4
#: Of the Sobol sequence: it has 2**_BITS points; SciPy skips points of at most 32 bits.
_BITS = 32


def designs_between(inputs: Sequence[Input], sampling: Sampling, first: int, last: int) -> Array:
    """Return designs first ... last - 1: (last - first, inputs), a number for each input (`Input`).

    "grid": the index in mixed radix, the last input fastest. "random": uniform, by the counter-based
    generator Philox [Salmon et al., SC 2011], whose counter is the design's index. "sobol": the Sobol
    sequence with Owen's scrambling, from ``scipy.stats.qmc``.
    """
    if sampling.kind == "grid":
        counts = [one.count for one in inputs]
        levels = np.unravel_index(np.arange(first, last), counts)
        columns = [one.on_grid(np.asarray(level)) for one, level in zip(inputs, levels, strict=True)]
    else:
        draw = _random if sampling.kind == "random" else _sobol
        shares = draw(len(inputs), sampling.seed, first, last - first)
        columns = [one.at(shares[:, k]) for k, one in enumerate(inputs)]
    return np.stack(columns, axis=1)


def _random(width: int, seed: int, first: int, count: int) -> Array:
    blocks = -(-width // _BLOCK)
    generator = np.random.Philox(key=seed)
    generator.advance(first * blocks)
    return np.random.Generator(generator).random((count, blocks * _BLOCK))[:, :width]


def _sobol(width: int, seed: int, first: int, count: int) -> Array:
    from scipy.stats import qmc  # noqa: PLC0415  # takes long

    sequence = qmc.Sobol(width, scramble=True, bits=_BITS, rng=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a chunk is not balanced by itself; the sequence is, at powers of 2
        if first:
            sequence.fast_forward(first)
        return np.asarray(sequence.random(count))
