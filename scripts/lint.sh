#!/usr/bin/env bash
# ./dev lint [--tidy]: changes nothing. Formatting of C++ and Python, ruff, shellcheck, and tests/style (include
# directions, file sizes and names, links and flags in documents). --tidy: clang-tidy as well (scripts/tidy.py); it reads
# generated headers and the log of the preset release, which is built first.
# RML_JUNIT=FILE: where the results of tests/style go for ./dev test.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
source scripts/install.sh

tidy=no
for argument in "$@"; do
  case $argument in
    --tidy) tidy=yes ;;
    *)
      echo "./dev lint: unknown argument '$argument'; expected --tidy" >&2
      exit 2
      ;;
  esac
done
install_for test || exit

failed=()
check() {  # NAME COMMAND...
  "${@:2}" || failed+=("$1")
}

mapfile -t cpp_files < <(git ls-files -- '*.h' '*.cc')
mapfile -t shell_files < <(git ls-files -- dev .ci/run '*.sh')
check clang-format "$venv/bin/clang-format" --dry-run --Werror "${cpp_files[@]}"
check "ruff check" "$venv/bin/ruff" check --quiet
check "ruff format" "$venv/bin/ruff" format --check --quiet
check shellcheck shellcheck -x "${shell_files[@]}"
check style "$venv/bin/python" -m pytest -q tests/style ${RML_JUNIT:+--junitxml "$RML_JUNIT"}
if [[ $tidy == yes ]]; then
  check build scripts/build.sh --preset release
  check clang-tidy "$venv/bin/python" scripts/tidy.py
fi

if ((${#failed[@]})); then
  printf 'lint: failed: %s (./dev format rewrites what is a matter of format)\n' "${failed[*]}" >&2
  exit 1
fi
