#!/usr/bin/env bash
# The core's tests with a core that AddressSanitizer and UndefinedBehaviorSanitizer watch (GCC's), in an activated shell. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder="$PWD/build/sanitized"
cmake -S src/modular_dynamics -B "$folder" -DMODULAR_DYNAMICS_SANITIZE=ON -DMODULAR_DYNAMICS_WERROR=ON -DAMENT_CMAKE_SYMLINK_INSTALL=ON \
  "-DCMAKE_INSTALL_PREFIX=$folder/install" "-DPython3_EXECUTABLE=$(command -v python)" >/dev/null
cmake --build "$folder" --parallel 2 --target install >/dev/null
export PYTHONPATH="$(echo "$folder"/install/lib/python3*/site-packages):${PYTHONPATH:-}"
# Their libraries must come before all others; the interpreter's own leaks are not of interest.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" exec python -m pytest "$@" test/test_core*.py
