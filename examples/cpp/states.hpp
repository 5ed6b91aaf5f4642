// What the examples share: numbers from standard input, and how often memory was allocated.
#pragma once
#include <cstdio>
#include <vector>

inline bool read(std::vector<double>& numbers) {
  for (double& one : numbers)
    if (std::scanf("%lf", &one) != 1) return false;
  return true;
}

inline void print(const std::vector<double>& numbers) {
  for (double one : numbers) std::printf("%.17g ", one);
  std::printf("\n");
}

extern long allocations; // calls of operator new: allocations.cpp
