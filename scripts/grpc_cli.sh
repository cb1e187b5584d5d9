#!/usr/bin/env bash
# Builds .tools/grpc_cli from Debian's source of gRPC, against the libgrpc++-dev that is installed. Debian packages no
# grpc_cli. Needs no root: the source is looked up through a package list of our own under .tools/apt, made from the
# system's entries, so that the system's lists stay as they are. About half a minute on two cores.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$(dpkg-query -W -f '${source:Version}' libgrpc++-dev)
root=$PWD/.tools
apt=$root/apt
work=$root/grpc-source

write_source_lists() {
  local list
  mkdir -p "$apt/sources.d" "$apt/lists/partial" "$apt/cache/archives/partial"
  rm -f "$apt"/sources.d/*
  for list in /etc/apt/sources.list.d/*.sources; do
    [[ -f $list ]] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/sources.d/$(basename "$list")"
  done
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb[[:space:]]/deb-src /p' \
    >"$apt/sources.d/system.list" || true
}

download() {
  local options=(-o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$apt/sources.d"
    -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=$(id -un)")
  # A list without sources (a vendor's repository) fails here; whether the source was found shows in the next line.
  apt-get "${options[@]}" -q update || echo "grpc_cli: not every package list offers sources; going on" >&2
  (cd "$work" && apt-get "${options[@]}" -q source --download-only "grpc=$version")
}

compile() {
  cd "$work/grpc"
  mkdir -p gen objects
  local reflection=src/proto/grpc/reflection/v1alpha/reflection
  protoc -I. --cpp_out=gen --grpc_out=gen --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" "$reflection.proto"
  # shellcheck disable=SC2016  # expanded by the inner shell
  printf '%s\n' test/cpp/util/{grpc_cli,grpc_tool,cli_call,cli_credentials,proto_file_parser}.cc \
    test/cpp/util/{proto_reflection_descriptor_database,service_describer,test_config_cc}.cc gen/$reflection{,.grpc}.pb.cc |
    xargs -P "$(nproc)" -I{} sh -c 'g++ -O1 -std=c++17 -DNDEBUG -Igen -I. -Iinclude -c {} -o objects/$(basename {} .cc).o'
  # shellcheck disable=SC2046  # one word per flag
  g++ objects/*.o -o "$root/grpc_cli" $(pkg-config --libs grpc++ protobuf absl_flags absl_flags_parse)
}

rm -rf "$work"
mkdir -p "$work"
write_source_lists
download
dpkg-source --no-check -x "$work"/grpc_*.dsc "$work/grpc" >/dev/null
(compile)
rm -rf "$work"
echo "$version" >"$root/grpc_cli.version"
echo "grpc_cli $version is in .tools/"
