#!/usr/bin/env bash
# ./dev demo [--keep]: serves the bundled models, asks one each through rml, rml_client and grpc_cli, holds the answers
# against the framework's own, shows a profile and the server's latency histogram, and shuts the server down.
# --keep: goes on serving until Ctrl-C. RML_BIN_DIR=DIR: takes the programs from there and builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh

keep=no
for argument in "$@"; do
  case $argument in
    --keep) keep=yes ;;
    *)
      echo "./dev demo: unknown argument '$argument'; expected --keep" >&2
      exit 2
      ;;
  esac
done

bold='' plain=''
if [[ -t 1 ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi
step() { printf '\n%s== %s%s\n' "$bold" "$1" "$plain"; }
show() {  # prints a command as one would type it, and runs it
  printf '$'
  printf ' %s' "$@"
  printf '\n'
  "$@"
}
say_and_fail() {
  echo "demo: $1" >&2
  [[ ! -s $log ]] || tail -n 20 "$log" >&2
  exit 1
}

install_for demo || exit
if [[ -z ${RML_BIN_DIR:-} ]]; then
  step "Building rml-server and rml"
  scripts/build.sh --preset release rml-server rml
fi
bin=$(realpath "${RML_BIN_DIR:-build/release/bin}")
python=$venv/bin/python
export PATH="$PWD/$tools:$bin:$PATH" PYTHONPATH="$PWD/client/python:$PWD/exporter:$PWD/scripts"

work=$(mktemp -d)
log=$work/server.log
server=''
clean_up() {
  if [[ -n $server ]]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap clean_up EXIT

start_server() {
  rml-server --demo --port 0 --http-port 0 >"$work/ready" 2>"$log" &
  server=$!
  local tenths=0
  until grep -q '^rml-server ready ' "$work/ready"; do
    kill -0 "$server" 2>/dev/null || say_and_fail "the server ended before it was ready"
    ((++tenths <= 600)) || say_and_fail "the server is not ready after 60 s"
    sleep 0.1
  done
  cat "$work/ready"
  address=$(sed -n 's/.* grpc=\([^ ]*\) .*/\1/p' "$work/ready")
  http=$(sed -n 's/.* http=\([^ ]*\) .*/\1/p' "$work/ready")
  export RML_SERVER=$address
}

stop_server() {
  local code=0
  kill -TERM "$server" 2>/dev/null || true # Ctrl-C went to the server too: it may have ended by now
  wait "$server" || code=$?
  server=''
  ((code == 0)) || say_and_fail "the server ended with exit code $code after SIGTERM"
  tail -n 2 "$log"
  echo "exit code 0"
}

step "Starting the server on the bundled models"
start_server
step "What it serves"
show rml models
step "1. cnn through rml, the command (C++)"
show rml run cnn --check models/cnn/1/golden.safetensors
step "2. transformer_block through rml_client (Python)"
"$python" scripts/demo_rml_client.py "$address" transformer_block
step "3. mlp through grpc_cli, typed in"
"$python" scripts/demo_grpc_cli.py "$address" mlp
step "Where the time goes in transformer_block"
show rml profile transformer_block
step "Latency of 1000 more requests, from http://$http/metrics"
"$python" scripts/demo_latency.py "$address" "$http" mlp 1000

if [[ $keep == yes ]]; then
  step "Serving until Ctrl-C. To try:"
  cat <<TEXT
  export PATH=$PWD/$tools:$bin:\$PATH RML_SERVER=$address
  rml models
  rml run mlp --random
  rml profile lstm
  grpc_cli ls $address rml.v1.Inference -l
  grpc_cli type $address rml.v1.RunRequest
  grpc_cli call $address rml.v1.Inference.GetModel 'name: "mlp"'
  grpc_cli call $address grpc.health.v1.Health.Check 'service: "mlp"'
  curl http://$http/metrics
TEXT
  trap 'echo' INT TERM
  wait "$server" || true
fi
step "Shutting down with SIGTERM"
stop_server
step "All answers agree with the framework's"
