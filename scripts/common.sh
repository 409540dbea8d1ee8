# Shared by the scripts beside it, which source it.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# A heavily templated file takes up to 1.5 GiB to compile: as many jobs as cores, fewer when memory is short.
jobs_that_fit() {
  local cores memory_kib
  cores=$(nproc)
  memory_kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  local fit=$((memory_kib / 1572864))
  if ((fit < 1)); then fit=1; fi
  if ((fit < cores)); then echo "$fit"; else echo "$cores"; fi
}

as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi; }

# make_bare_system FOLDER RELEASE PACKAGE,...: a Debian with these packages and little else, unless it is there.
make_bare_system() {
  if [[ -d $1 ]]; then return; fi
  command -v debootstrap >/dev/null || die "debootstrap is needed (Debian: debootstrap)"
  mkdir -p "$(dirname "$1")"
  as_root debootstrap --variant=minbase --include="$3" "$2" "$1.part"
  as_root mv "$1.part" "$1"
}

# in_bare_system FOLDER [UNSHARE-OPTION...] -- COMMAND...: as root of that system; --net: without a network.
in_bare_system() {
  local folder=$1 options=()
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  # shellcheck disable=SC2016  # the inner shell expands "$@"
  as_root unshare --pid --fork --mount --mount-proc "${options[@]}" --root="$folder" \
    sh -c 'mount -t sysfs sysfs /sys && shift && exec "$@"' sh "$@"
}

# The name of the program, at the version the whole project uses: clang-format's output differs between versions.
clang_tool() {
  local version=14
  if command -v "$1-$version" >/dev/null; then
    echo "$1-$version"
  elif command -v "$1" >/dev/null && [[ $("$1" --version) == *"version $version."* ]]; then
    echo "$1"
  else
    die "$1 $version is needed (Debian: $1-$version); run scripts/install-deps --develop"
  fi
}

# Our C++ files, tracked or new.
cpp_files() {
  find src gallery apps studies cli tests bench examples python/src -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' | sort
}
