# shellcheck shell=bash
# Sourced. install_for LEVEL makes sure that what a level needs is there and asks once before it installs anything; when
# all is there it does nothing, quickly. Levels with Python also make the messages of proto/ anew where those are older.
# On failure it returns non-zero with a message on standard error.
#   build  Debian packages: compiler, build tools, libraries
#   demo   + .venv with requirements/demo.txt, grpc_cli
#   test   + .venv with requirements/test.txt (PyTorch among them), shellcheck
#   tidy   build + clang
#   fuzz   test + clang with libFuzzer, Python as a library

readonly venv=.venv tools=.tools

list_of() { sed -e 's/#.*//' -e '/^-r/d' -e '/^[[:space:]]*$/d' "$@" | sort -u; }  # the lines of requirement files

missing_packages() {  # the Debian packages of the lists "$@" that dpkg does not report as installed
  local package
  list_of "$@" | while read -r package; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

python_requirements() {  # of demo or test
  if [[ $1 == demo ]]; then list_of requirements/demo.txt; else list_of requirements/{demo,export,test}.txt; fi
}

venv_is_ready() {  # for demo or test; an environment for test serves the demo as well
  local level digest
  read -r level digest 2>/dev/null <"$venv/installed" || return 1
  [[ ($level == "$1" || $level == test) && $digest == "$(python_requirements "$level" | sha256sum)" ]]
}

grpc_cli_is_ready() {
  [[ -x $tools/grpc_cli ]] && [[ $(cat "$tools/grpc_cli.version") == "$(dpkg-query -W -f '${source:Version}' libgrpc++-dev)" ]]
}

confirm() {  # "$1": what will be done, one thing per line
  printf 'To be installed:\n%s' "$1"
  if [[ ${RML_YES:-} == 1 || ${CI:-} == true ]]; then return 0; fi
  if [[ ! -t 0 ]]; then
    echo "Standard input is no terminal to ask on; pass --yes to go on." >&2
    return 1
  fi
  local answer
  read -r -p "Go on? [y/N] " answer
  [[ $answer == [yY]* ]]
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

install_packages() {
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

usable_python() {  # prints the first Python >= 3.11 that can make a virtual environment
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$python"
      return 0
    fi
  done
  echo "setup: Python 3.11 or newer with its venv module is needed (Debian: python3, python3-venv)" >&2
  return 1
}

install_venv() {  # for demo or test
  local python
  if ! "$venv/bin/python" -c '' 2>/dev/null; then
    python=$(usable_python) || return 1
    "$python" -m venv --clear "$venv" || return 1
  fi
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "requirements/$1.txt" || return 1
  echo "$1 $(python_requirements "$1" | sha256sum)" >"$venv/installed"
}

install_for() {
  local level=$1 lists=(requirements/apt-build.txt) python='' packages plan=''
  case $level in
    build) ;;
    demo) python=demo ;;
    test) python=test lists+=(requirements/apt-test.txt) ;;
    tidy) lists+=(requirements/apt-tidy.txt) ;;
    fuzz) python=test lists+=(requirements/apt-{test,fuzz}.txt) ;;
    *)
      echo "setup: unknown level '$level'; expected build, demo, test, tidy or fuzz" >&2
      return 2
      ;;
  esac
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: no apt-get here (rml is built on Debian 12); ${lists[*]} name what is needed" >&2
    return 1
  fi
  packages=$(missing_packages "${lists[@]}")
  if [[ -n $packages ]]; then plan+="  Debian packages: ${packages//$'\n'/ }"$'\n'; fi
  if [[ -n $python ]]; then
    venv_is_ready "$python" || plan+="  Python packages in .venv/: $(python_requirements "$python" | tr '\n' ' ')"$'\n'
    grpc_cli_is_ready || plan+="  grpc_cli in .tools/, built from Debian's source of gRPC (8 MB)"$'\n'
  fi
  if [[ -n $plan ]]; then install_missing "$plan" "$python" "$packages" || return 1; fi
  if [[ -n $python ]]; then scripts/python_protos.sh || return 1; fi
}

install_missing() {  # PLAN PYTHON PACKAGES, as install_for found them
  local plan=$1 python=$2 packages=$3
  confirm "$plan" || return 1
  # shellcheck disable=SC2086  # one word per package
  if [[ -n $packages ]]; then install_packages $packages || return 1; fi
  if [[ -n $python ]]; then
    venv_is_ready "$python" || install_venv "$python" || return 1
    grpc_cli_is_ready || scripts/grpc_cli.sh || return 1
  fi
}
