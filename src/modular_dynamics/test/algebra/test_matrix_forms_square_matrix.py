"""Square matrices as single elements of arrays: sums, and products of matrices, not of entries."""

import numpy as np

from modular_dynamics.algebra.matrix_forms import SquareMatrix


def test_arrays_of_matrices_multiply_as_block_matrices():
    rng = np.random.default_rng(0)
    blocks = rng.integers(-9, 9, size=(2, 3, 6, 6)).astype(float)
    A = np.empty((2, 3), dtype=object)
    for index in np.ndindex(2, 3):
        A[index] = SquareMatrix(blocks[index])
    ones = np.full(3, SquareMatrix(np.eye(6)), dtype=object)
    block_matrix = blocks.transpose(0, 2, 1, 3).reshape(12, 18)
    stacked = block_matrix @ np.tile(np.eye(6), (3, 1))
    product = A @ ones
    assert np.array_equal(np.concatenate([element.array for element in product]), stacked)
    assert np.array_equal((A[0, 0] * A[0, 1]).array, blocks[0, 0] @ blocks[0, 1])
    assert np.array_equal((A[0, 0] - A[0, 1]).array, blocks[0, 0] - blocks[0, 1])
    assert np.array_equal((-A[0, 0]).array, -blocks[0, 0])
