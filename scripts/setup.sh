#!/usr/bin/env bash
# Make this checkout ready: .venv from requirements/, then the overlay in install/ by colcon. Called by every target of the Makefile.
#   scripts/setup.sh          what demo, test and lint need
#   scripts/setup.sh bench    also the peers that the benchmark compares with, where they can be had
#   scripts/setup.sh docs     also what builds the site
# Does only what is missing: each step leaves a stamp with a checksum of what it was made from. A second call takes some
# hundredths of a second and no network; a call after an interrupted one repairs. PYTHON=python3.12 chooses the interpreter; where
# .venv has another version, it is made anew.
# ROS=kilted takes the wheels of that distribution, beside those of Jazzy: into .venv-kilted, build-kilted and install-kilted.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$root"
ros="${ROS:-jazzy}"
suffix="-$ros"
[ "$ros" != jazzy ] || suffix=""
build="build$suffix"
install="install$suffix"
venv="$root/.venv$suffix"
python="$venv/bin/python"
log_dir="$root/log"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

# ---- what is there ----------------------------------------------------------------------------------------------------------

# With a distribution sourced, it is the underlay and no wheel of ROS is installed. Wheels in a virtual environment, this
# checkout's or another's that the shell has activated, are none.
distribution=""
if [ -n "${ROS_DISTRO:-}" ]; then
  IFS=: read -r -a prefixes <<<"${AMENT_PREFIX_PATH:-}"
  for prefix in ${prefixes[@]+"${prefixes[@]}"}; do
    if [ -e "$prefix/share/ament_index/resource_index/packages/rclpy" ] && [ ! -e "$prefix/pyvenv.cfg" ]; then
      distribution="$ROS_DISTRO"
    fi
  done
fi

if [ -n "$distribution" ] && [ -n "${ROS:-}" ]; then
  fail "ROS=$ROS chooses wheels, but in this shell ROS 2 $distribution is sourced: leave ROS out, or use another shell"
fi
[ -e "requirements/ros-$ros.txt" ] || fail "ROS=$ros is not known; ROS=jazzy and ROS=kilted are"

# The checkout's path is part of both: virtual environments and colcon's overlays cannot be moved.
environment_key="$(cat requirements/runtime.txt requirements/dev.txt "requirements/ros-$ros.txt" scripts/patch_wheels.py | cksum) $distribution $root"
overlay_key="$environment_key $({
  find src \( -name package.xml -o -name CMakeLists.txt -o -name setup.py -o -name setup.cfg -o -name '*.msg' -o -name '*.srv' \
    -o -name '*.action' -o -name '*.hpp' -o -name '*.cpp' \) -type f -print0 | LC_ALL=C sort -z | xargs -0 cat colcon.meta
  # A new file needs its own link in install/; a folder that does not exist has none.
  { find src/modular_dynamics_bringup src/modular_dynamics/modular_dynamics -type f -not -path '*/__pycache__/*' 2>/dev/null || true; } | LC_ALL=C sort
} | cksum)"
peers_key="$(cksum <requirements/bench.txt)"
site_key="$(cksum <requirements/docs.txt)"

holds() { [ -e "$1" ] && [ "$(<"$1")" = "$2" ]; }
version_of() { "$1" -c 'import sys; print(*sys.version_info[:2])' 2>/dev/null || true; }
python_fits() { [ -z "${PYTHON:-}" ] || [ "$(version_of "$PYTHON")" = "$(version_of "$python")" ]; }
environment_ready() { holds "$venv/.stamp" "$environment_key" && [ -x "$python" ] && python_fits; }
overlay_ready() { holds "$root/$install/.stamp" "$overlay_key"; }
peers_ready() { holds "$venv/.stamp_peers" "$peers_key"; }
site_ready() { holds "$venv/.stamp_site" "$site_key"; }

# ---- saying what happens ------------------------------------------------------------------------------------------------------

ticker_pid=""
stop_ticker() {
  if [ -n "$ticker_pid" ]; then
    kill "$ticker_pid" 2>/dev/null || true
    wait "$ticker_pid" 2>/dev/null || true
    ticker_pid=""
  fi
}
trap stop_ticker EXIT
exec 3>&2 # the terminal, also where a step's output goes to its log
trap 'printf "\nsetup: interrupted; the next call makes up for it\n" >&3; exit 130' INT TERM

# One line that counts seconds on a terminal; elsewhere a line every 15 s.
ticker() {
  local title="$1" log="$2" start=$SECONDS last=""
  while kill -0 $$ 2>/dev/null; do
    if [ -t 1 ]; then
      last="$(tail -n 1 "$log" 2>/dev/null | tr -d '\r' | cut -c 1-60)" || true
      printf '\r\033[K  %s ... %d s  \033[2m%s\033[0m' "$title" $((SECONDS - start)) "$last"
      sleep 0.5
    else
      sleep 15
      printf '  %s ... %d s\n' "$title" $((SECONDS - start))
    fi
  done
}

# step TITLE LOG COMMAND...: runs the command with its output in log/LOG; on failure shows that log's end.
step() {
  local title="$1" log="$log_dir/$2" start=$SECONDS status=0
  shift 2
  mkdir -p "$log_dir"
  : >"$log"
  [ -t 1 ] || printf '  %s ...\n' "$title"
  ticker "$title" "$log" &
  ticker_pid=$!
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  stop_ticker
  [ ! -t 1 ] || printf '\r\033[K'
  if [ "$status" -ne 0 ]; then
    printf '  %s: failed\n' "$title" >&2
    [ -z "${hint:-}" ] || printf '    %s\n' "$hint" >&2
    tail -n 30 "$log" | cut -c 1-200 | sed 's/^/    | /' >&2
    printf '    whole log: %s\n' "$log" >&2
    return "$status"
  fi
  printf '  %s: done (%d s)\n' "$title" $((SECONDS - start))
}

# ---- what the machine must have -----------------------------------------------------------------------------------------------

version_fits() { "$1" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1; }

find_python() {
  local candidate
  if [ -n "${PYTHON:-}" ]; then
    version_fits "$PYTHON" || fail "PYTHON=$PYTHON is not a Python of 3.10 to 3.14, the ones that the ROS 2 wheels exist for"
    base_python="$PYTHON"
    return
  fi
  for candidate in python3 python3.12 python3.11 python3.13 python3.10 python3.14; do
    if version_fits "$candidate"; then
      base_python="$candidate"
      return
    fi
  done
  fail "no Python of 3.10 to 3.14 in PATH (python3 is: $(python3 --version 2>&1 || true)); PYTHON=/path/to/python3.12 names one"
}

check_machine() {
  local missing=()
  find_python
  "$base_python" -c 'import venv, ensurepip' 2>/dev/null || missing+=("python3-venv (the module venv of $base_python)")
  command -v cmake >/dev/null || missing+=("cmake")
  command -v make >/dev/null || command -v ninja >/dev/null || missing+=("make")
  command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || missing+=("a C++ compiler (g++ or clang++)")
  if [ "${#missing[@]}" -gt 0 ]; then
    fail "this machine lacks:" "${missing[@]/#/  }" "On Debian or Ubuntu: sudo apt install python3-venv python3-dev cmake make g++"
  fi
}

# ---- the steps ----------------------------------------------------------------------------------------------------------------

install_wheels() { env -u PYTHONPATH "$python" -m pip install --progress-bar off -r requirements/runtime.txt -r "requirements/ros-$ros.txt" -r requirements/dev.txt; }

install_beside_distribution() {
  local wanted="$log_dir/distribution_requirements.txt"
  "$python" scripts/distribution_requirements.py requirements/runtime.txt requirements/dev.txt >"$wanted" || return 1
  if grep -q '^pin==' "$wanted"; then
    echo "the distribution lacks Pinocchio: sudo apt install ros-$ROS_DISTRO-pinocchio (or: rosdep install --from-paths src)"
    return 1
  fi
  "$python" -c 'import numpy; print("numpy==" + numpy.__version__)' >"$log_dir/distribution_constraints.txt" 2>/dev/null || true
  [ ! -s "$wanted" ] || "$python" -m pip install --progress-bar off -c "$log_dir/distribution_constraints.txt" -r "$wanted"
}

# Always from scratch: an interrupted installation may leave half a package that pip believes in.
make_environment() {
  local options=(--clear)
  rm -f "$build/.stamp_environment" # what was built with the one before
  [ -z "$distribution" ] || options+=(--system-site-packages)
  step "virtual environment in .venv$suffix ($("$base_python" --version))" venv.log "$base_python" -m venv "${options[@]}" "$venv"
  if [ -n "$distribution" ]; then
    step "packages that ROS 2 $distribution does not have" pip.log install_beside_distribution
  else
    hint="The first set-up needs the network." step "ROS 2 $ros, Pinocchio and tools into .venv$suffix" pip.log install_wheels
    step "include folders in the wheels' CMake files" patch_wheels.log "$python" scripts/patch_wheels.py
  fi
  printf '%s\n' "$environment_key" >"$venv/.stamp"
}

# -DPython3_EXECUTABLE: CMake would otherwise prefer the newest Python of the machine to the venv's.
build_overlay() (
  if ! holds "$build/.stamp_environment" "$environment_key"; then
    rm -rf "$build" # another environment's CMake caches name files that may be gone
  fi
  rm -rf "$install" # links to files that are gone; what was compiled is in $build
  mkdir -p "$build"
  touch "$venv/COLCON_IGNORE" # package.xml files of the wheels stand in there
  printf '%s\n' "$environment_key" >"$build/.stamp_environment"
  . scripts/activate.sh || exit 1
  python -m colcon --log-base log build --base-paths src --build-base "$build" --install-base "$install" --merge-install --symlink-install \
    --event-handlers console_direct+ --cmake-args "-DPython3_EXECUTABLE=$python" --no-warn-unused-cli || exit 1
  mend_scripts || exit 1
  # Nodes start sooner, also where Python is told to keep no bytecode, or may not write it later.
  python -m compileall -q src/modular_dynamics_ros/modular_dynamics_ros "$install"/lib/python3* || true
  . scripts/activate.sh && python -c "import modular_dynamics._core, modular_dynamics_interfaces.msg" # what was built can be used
)

# setuptools writes "#!" and the path of the venv's Python, which the kernel cannot follow when the path holds a space. What pip
# writes into .venv/bin starts there too.
mend_scripts() {
  local script
  for script in "$install"/bin/* "$install"/lib/modular_dynamics*/*; do
    if [ -f "$script" ] && head -n 1 "$script" | grep -qF "$venv/bin/python"; then
      { echo '#!/usr/bin/env python3' && tail -n +2 "$script"; } >"$script.new" && chmod +x "$script.new" && mv "$script.new" "$script" ||
        return 1
    fi
  done
}

# ---- go -----------------------------------------------------------------------------------------------------------------------

if ! environment_ready || ! overlay_ready; then
  echo "Setting up (only what is missing):"
  check_machine
  environment_ready || make_environment
  step "core in C++ and overlay in $install/ (colcon)" colcon.log build_overlay
  printf '%s\n' "$overlay_key" >"$install/.stamp"
  echo "Set up in $SECONDS s; .venv$suffix, $build and $install take $(du -shc ".venv$suffix" "$build" "$install" | awk 'END { print $1 }')B"
fi

if [ "${1:-}" = bench ] && ! peers_ready; then
  if step "peers for the benchmark" pip_peers.log "$python" -m pip install --progress-bar off -r requirements/bench.txt; then
    printf '%s\n' "$peers_key" >"$venv/.stamp_peers"
  else
    echo "  going on without them" >&2
  fi
fi

if [ "${1:-}" = docs ] && ! site_ready; then
  step "Sphinx, for the site" pip_site.log "$python" -m pip install --progress-bar off -r requirements/docs.txt
  printf '%s\n' "$site_key" >"$venv/.stamp_site"
fi
