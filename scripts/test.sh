#!/usr/bin/env bash
# ./dev test [--full]: what CI runs. A stage that fails does not stop the later ones, so that one run shows all failures.
# Ends with a table of the stages and the line "N passed, N failed, N skipped"; a stage that fails without a failed test
# to its name (a build, a formatter) counts as one failure. --full also runs the tests that take minutes each,
# clang-tidy over tests and examples too, and all C++ tests as the presets dev and tidy build them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
source scripts/install.sh

pytest_selection=(-m "not slow")
more_presets=(asan tsan)
tidy_paths=(engine server client loadtest)
for argument in "$@"; do
  case $argument in
    --full)
      export RML_TEST_FULL=1
      pytest_selection=()
      more_presets+=(dev tidy)
      tidy_paths=()
      ;;
    *)
      echo "./dev test: unknown argument '$argument'; expected --full" >&2
      exit 2
      ;;
  esac
done

results=$PWD/build/test-results
rm -rf "$results"
mkdir -p "$results"

stage() {  # NAME COMMAND...
  local name=$1 start=$SECONDS code=0
  shift
  printf '\n=== %s\n' "$name"
  RML_JUNIT=$results/$name.xml "$@" || code=$?
  printf '%s\t%s\t%s\n' "$name" "$code" "$((SECONDS - start))" >>"$results/stages.tsv"
  return "$code"
}

ctest_of() {  # PRESET CTEST-ARGUMENTS...; the lines of tests that pass are left out
  ctest --preset "$1" --output-junit "$RML_JUNIT" "${@:2}" | grep -vE '^ *Start +[0-9]+:| Passed +[0-9.]+ sec$'
}

# A file's tests stay together, as they share what they exported. Where a test ends its process, the stage ends.
python_tests() {
  local folders=()
  for folder in tests/engine tests/examples tests/exporter tests/onnx tests/cross tests/zoo tests/client tests/loadtest tests/e2e; do
    if [[ -d $folder ]]; then folders+=("$folder"); fi
  done
  "$venv/bin/python" -m pytest -q -n "$(nproc)" --dist loadfile --max-worker-restart 0 "${folders[@]}" ${pytest_selection[@]+"${pytest_selection[@]}"} --junitxml "$RML_JUNIT"
}

run_stages() {
  stage setup install_for test || return
  stage lint scripts/lint.sh
  if stage build scripts/build.sh --preset release; then
    stage tidy "$venv/bin/python" scripts/tidy.py ${tidy_paths[@]+"${tidy_paths[@]}"}
    stage cpp ctest_of release -LE install
    stage python python_tests
    stage install ctest_of release -L install
  fi
  for preset in "${more_presets[@]}"; do
    stage "$preset-build" scripts/build.sh --preset "$preset" && stage "$preset" ctest_of "$preset" -LE install
  done
  if [[ ${RML_TEST_FULL:-} == 1 ]]; then
    for folder in tests/fuzz/*/corpus; do
      stage "fuzz-$(basename "$(dirname "$folder")")" scripts/fuzz.sh "$(basename "$(dirname "$folder")")" --seconds 180
    done
  fi
}

run_stages
exec python3 scripts/test_summary.py "$results"
