# What the scripts share; sourced, never run. Sets PAHTUM_ROOT and moves there.
# shellcheck shell=bash

PAHTUM_ROOT="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
readonly PAHTUM_ROOT

# The ccache entries of one checkout serve another one in another folder.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PAHTUM_ROOT}"
export CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"

say() { printf '%s: %s\n' "$(basename -- "$0")" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# Compilations that run at once: one per core, but never more than the memory holds, since one that includes
# LibTorch takes about 2 GB.
compile_jobs() {
  local cores memory_kib by_memory
  cores="$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)"
  memory_kib="$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)"
  by_memory="$((${memory_kib:-4194304} / 2097152))"
  ((by_memory >= 1)) || by_memory=1
  echo "$((cores < by_memory ? cores : by_memory))"
}

# configure_preset PRESET FOLDER: configures FOLDER by the preset where it is not configured yet; Ninja itself
# configures again when a CMake file or the list of sources changes.
configure_preset() {
  local preset="$1" folder="$PAHTUM_ROOT/$2" log
  if [[ ! -f "$folder/build.ninja" || "$folder/build.ninja" -ot "$PAHTUM_ROOT/CMakePresets.json" ]]; then
    say "configuring $folder (preset $preset)"
    log="$(cmake -S "$PAHTUM_ROOT" --preset "$preset" 2>&1)" || {
      printf '%s\n' "$log" >&2
      die "cmake --preset $preset failed; its messages are above"
    }
  fi
  # Brings the build files up to date, new sources included, and builds nothing.
  ninja -C "$folder" --quiet build.ninja >&2
}

# build_preset PRESET FOLDER [TARGET...]: configures and builds; silent when there is nothing to do.
build_preset() {
  local folder="$PAHTUM_ROOT/$2"
  configure_preset "$1" "$2"
  shift 2
  if [[ "$(ninja -C "$folder" -n "$@" 2>&1)" != *"no work to do"* ]]; then
    say "building $folder"
    ninja -C "$folder" -j "$(compile_jobs)" "$@" >&2
  fi
}
