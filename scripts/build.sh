#!/usr/bin/env bash
# ./dev build [--preset P] [TARGET...]: configures and builds into build/P.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh

preset=release
targets=()
while (($#)); do
  case $1 in
    --preset)
      preset=${2:?"--preset needs a name: release, dev, asan, tsan or tidy"}
      shift 2
      ;;
    --preset=*)
      preset=${1#*=}
      shift
      ;;
    -*)
      echo "./dev build: unknown option '$1'; expected --preset P and names of targets" >&2
      exit 2
      ;;
    *)
      targets+=("$1")
      shift
      ;;
  esac
done

if [[ $preset == tidy ]]; then install_for tidy; else install_for build; fi
cmake --preset "$preset" --log-level=WARNING
cmake --build --preset "$preset" ${targets:+--target "${targets[@]}"}
