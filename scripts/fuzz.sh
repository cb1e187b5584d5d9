#!/usr/bin/env bash
# ./dev fuzz [TARGET [--seconds N] [--jobs N] [--merge]]: builds a fuzz target of tests/fuzz with clang and lets libFuzzer
# look for inputs that break it. Without a target: lists them. See usage() below and tests/fuzz/README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/install.sh

usage() {
  cat <<'TEXT'
./dev fuzz                                      the targets
./dev fuzz TARGET [--seconds N] [--jobs N]      looks for inputs that break TARGET, for N seconds (60) in N processes (1)
./dev fuzz TARGET --merge                       takes what past runs found new into tests/fuzz/TARGET/corpus, minimised

A run starts from tests/fuzz/TARGET/corpus and from what earlier runs reached (build/fuzz/TARGET/inputs). What it finds is
minimised, kept in build/fuzz/TARGET/findings and named at the end with the command that replays it; the exit code is 1.
A finding becomes a regression test by moving it to tests/fuzz/TARGET/corpus: every ./dev test replays that folder.
TEXT
}

list_targets() {
  local folder
  for folder in tests/fuzz/*/corpus; do
    printf '%-16s %4s inputs   %s\n' "$(basename "$(dirname "$folder")")" "$(find "$folder" -type f | wc -l)" \
      "$(sed -n '1s|^// Fuzz target: ||p' "$(dirname "$folder").cc")"
  done
}

target='' seconds=60 jobs=1 merge=no
number() {  # OPTION VALUE
  if [[ ! $2 =~ ^[1-9][0-9]*$ ]]; then
    echo "./dev fuzz: $1 is '$2'; expected a whole number from 1" >&2
    exit 2
  fi
  echo "$2"
}
while (($#)); do
  case $1 in
    --seconds) seconds=$(number "$1" "${2:-}") && shift ;;
    --seconds=*) seconds=$(number --seconds "${1#*=}") ;;
    --jobs) jobs=$(number "$1" "${2:-}") && shift ;;
    --jobs=*) jobs=$(number --jobs "${1#*=}") ;;
    --merge) merge=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*)
      echo "./dev fuzz: unknown option '$1'; expected --seconds N, --jobs N or --merge (./dev fuzz --help)" >&2
      exit 2
      ;;
    *)
      if [[ -n $target ]]; then
        echo "./dev fuzz: two targets, '$target' and '$1'; expected one" >&2
        exit 2
      fi
      target=$1
      ;;
  esac
  shift
done
if [[ -z $target ]]; then
  list_targets
  echo "Next: ./dev fuzz TARGET (./dev fuzz --help)"
  exit 0
fi
corpus=tests/fuzz/$target/corpus
if [[ ! -d $corpus ]]; then
  echo "./dev fuzz: no target '$target'; there are:" >&2
  list_targets >&2
  exit 2
fi

install_for fuzz
scripts/build.sh --preset fuzz "fuzz_$target"
program=build/fuzz/bin/fuzz_$target
work=build/fuzz/$target
inputs=$work/inputs findings=$work/findings log=$work/log
mkdir -p "$inputs" "$findings"
extension=$(find "$corpus" -type f -printf '%f\n' | sed -n '1s/.*\.//p')
PYTHONPATH=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export PYTHONPATH
export ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-19)
export ASAN_SYMBOLIZER_PATH

flags=(-timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=1000 -max_len=4096 "-artifact_prefix=$findings/")
if [[ -f tests/fuzz/$target/dictionary ]]; then flags+=("-dict=tests/fuzz/$target/dictionary"); fi

show_progress() {  # PID: a line every few seconds with libFuzzer's last numbers
  local start=$SECONDS last=''
  while kill -0 "$1" 2>/dev/null; do
    sleep 1
    if (((SECONDS - start) % 5 != 0)); then continue; fi
    last=$(grep -aoE '^#[0-9]+.*cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -n 1 |
      sed -E 's/^#([0-9]+).*cov: ([0-9]+) ft: [0-9]+ corp: ([0-9]+)/\1 runs, \2 edges, \3 inputs/')
    printf '%s: %d of %d s%s\n' "$target" $((SECONDS - start)) "$seconds" "${last:+, $last}"
  done
}

newest_finding() {
  find "$findings" -type f -newer "$work/started" \( -name 'crash-*' -o -name 'timeout-*' -o -name 'oom-*' -o -name 'leak-*' \) |
    head -n 1
}

report() {  # FINDING
  local found=$1 small
  small=$findings/minimised-$(basename "$found")
  grep -aE '^fuzz: |ERROR: |runtime error: |SUMMARY: ' "$log" | head -n 8 >&2 || true
  if [[ $(basename "$found") == crash-* ]]; then
    echo "minimising for up to 60 s"
    "$program" "${flags[@]}" -minimize_crash=1 -max_total_time=60 "-exact_artifact_path=$small" "$found" >>"$log" 2>&1 || true
  fi
  [[ -s $small ]] || cp "$found" "$small"
  cat >&2 <<TEXT
fuzz: $target: FOUND $small ($(stat -c %s "$small") bytes)
  replay:      PYTHONPATH=$PYTHONPATH $program $small
  whole log:   $log
  once fixed:  mv $small $corpus/WHAT_IT_IS.$extension    (every ./dev test replays it as fuzz.$target.replay)
TEXT
}

merge_corpus() {
  local file before
  before=$(find "$corpus" -type f | wc -l)
  "$program" "${flags[@]}" -merge=1 "$corpus" "$inputs" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    exit 1
  }
  for file in "$corpus"/*; do
    if [[ $(basename "$file") =~ ^[0-9a-f]{40}$ ]]; then mv "$file" "$corpus/found_$(basename "$file" | cut -c1-12).$extension"; fi
  done
  echo "$corpus: $before inputs before, $(find "$corpus" -type f | wc -l) now, $(du -sb "$corpus" | cut -f1) bytes"
}

if [[ $merge == yes ]]; then
  merge_corpus
  exit 0
fi

if ((jobs > 1)); then flags+=("-fork=$jobs"); fi
touch "$work/started"
"$program" "${flags[@]}" "-max_total_time=$seconds" -print_final_stats=1 "$inputs" "$corpus" >"$log" 2>&1 &
fuzzer=$!
trap 'kill "$fuzzer" 2>/dev/null || true' EXIT
show_progress "$fuzzer"
code=0
wait "$fuzzer" || code=$?
trap - EXIT
found=$(newest_finding)
if [[ -n $found ]]; then
  report "$found"
  exit 1
fi
if ((code != 0)); then
  tail -n 30 "$log" >&2
  echo "fuzz: $target: ended with exit code $code and no finding; the log: $log" >&2
  exit 1
fi
grep -aE '^#[0-9]+.*cov: ' "$log" | tail -n 1
grep -aE '^stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$log" || true
echo "fuzz: $target: nothing found in $seconds s; $(find "$inputs" -type f | wc -l) inputs in $inputs (--merge takes the new ones)"
