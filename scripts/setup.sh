#!/usr/bin/env bash
# ./dev setup [build|demo|test|tidy|fuzz]: installs what that level needs (test when none is given) and nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh

install_for "${1:-test}"
echo "setup: all there"
