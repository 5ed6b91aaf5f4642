"""Everything that leans on Numba's and LLVM's inner workings: lanes, memory access, compilation, caching."""
