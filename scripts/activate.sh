# Source this file, from bash or zsh, in any folder:  . scripts/activate.sh
# The shell then has this checkout's virtual environment and the overlay in install/, on top of the ROS 2 distribution that is
# sourced, or of the ROS 2 wheels in .venv; after  export ROS=kilted  of those in .venv-kilted. ROS_DOMAIN_ID and the like stay as
# they are.

if [ -n "${BASH_VERSION:-}" ]; then
  _md_self="${BASH_SOURCE[0]}" _md_shell=bash
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_md_self="${(%):-%x}"' # only zsh can parse its spelling of "this file"
  _md_shell=zsh
else
  echo "activate.sh: source it from bash or zsh" >&2
  return 1
fi
_md_root="$(cd "$(dirname "$_md_self")/.." >/dev/null && pwd -P)"
_md_ros="${ROS:-jazzy}" # whose wheels, and in which folders: as in setup.sh
_md_suffix="-$_md_ros"
[ "$_md_ros" != jazzy ] || _md_suffix=
_md_venv="$_md_root/.venv$_md_suffix"

if [ ! -x "$_md_venv/bin/python" ] || [ ! -e "$_md_venv/bin/activate" ]; then
  echo "activate.sh: $_md_root has no virtual environment yet; run there: make setup${ROS:+ ROS=$ROS}" >&2
  unset _md_self _md_shell _md_root _md_ros _md_suffix _md_venv
  return 1
fi

# colcon's and the distribution's scripts read variables that may be unset.
case $- in *u*) _md_nounset=1 ;; *) _md_nounset= ;; esac
set +u

. "$_md_venv/bin/activate"

# Prefixes of other wheel environments would be mixed with this one's: CMake and ament take the first that has a package.
_md_distribution= _md_kept= _md_rest="${AMENT_PREFIX_PATH:+$AMENT_PREFIX_PATH:}"
while [ -n "$_md_rest" ]; do
  _md_prefix="${_md_rest%%:*}" _md_rest="${_md_rest#*:}"
  if [ ! -e "$_md_prefix/pyvenv.cfg" ]; then
    _md_kept="$_md_kept$_md_prefix:"
    [ ! -e "$_md_prefix/share/ament_index/resource_index/packages/rclpy" ] || _md_distribution="${ROS_DISTRO:-}"
  fi
done
if [ -z "$_md_distribution" ]; then
  export ROS_DISTRO="$_md_ros" ROS_VERSION=2 ROS_PYTHON_VERSION=3
  export AMENT_PREFIX_PATH="$_md_kept$VIRTUAL_ENV"
  export CMAKE_PREFIX_PATH="$_md_kept$VIRTUAL_ENV"
fi

# So would be the libraries of another checkout: the wheels put this variable in an order of their own.
_md_kept= _md_rest="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}"
while [ -n "$_md_rest" ]; do
  _md_prefix="${_md_rest%%:*}" _md_rest="${_md_rest#*:}"
  [ -e "$_md_prefix/libmodular_dynamics_interfaces__rosidl_generator_c.so" ] || _md_kept="$_md_kept${_md_kept:+:}$_md_prefix"
done
[ -z "${LD_LIBRARY_PATH:-}" ] || export LD_LIBRARY_PATH="$_md_kept"

if [ -e "$_md_root/install$_md_suffix/local_setup.$_md_shell" ]; then
  # colcon's script calls Python by its path without quotes, so not by one in a folder that may have a space in its name.
  COLCON_PYTHON_EXECUTABLE="$("$VIRTUAL_ENV/bin/python" -IS -c 'import os, sys; print(os.path.realpath(sys.executable))')"
  . "$_md_root/install$_md_suffix/local_setup.$_md_shell"
  unset COLCON_PYTHON_EXECUTABLE
  export LD_LIBRARY_PATH="${LD_LIBRARY_PATH%:}" # an empty entry at the end would be the current folder
fi

[ -z "$_md_nounset" ] || set -u
unset _md_self _md_shell _md_root _md_ros _md_suffix _md_venv _md_nounset _md_distribution _md_kept _md_rest _md_prefix
