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
      preset=${2:?"--preset needs a name: release, dev, asan, tsan, tidy or fuzz"}
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

case $preset in
  tidy | fuzz) install_for "$preset" ;;
  *) install_for build ;;
esac
cmake --preset "$preset" --log-level=WARNING
cmake --build --preset "$preset" ${targets:+--target "${targets[@]}"}
