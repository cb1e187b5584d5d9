#!/usr/bin/env bash
# ./dev format: rewrites C++ and Python files in the project's format, and what ruff can repair by itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh

install_for test
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' | xargs -0 "$venv/bin/clang-format" -i
"$venv/bin/ruff" check --quiet --fix || true # what is left needs a person; ./dev lint shows it
"$venv/bin/ruff" format --quiet
