#!/usr/bin/env bash
# Makes client/python/rml/v1/inference_pb2{,_grpc}.py (and .pyi) from proto/ when they are missing or older; the virtual
# environment must be there. Generated code is not in git.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

proto=proto/rml/v1/inference.proto
out=client/python
if [[ $out/rml/v1/inference_pb2_grpc.py -nt $proto && $out/rml/v1/inference_pb2_grpc.py -nt requirements/demo.txt ]]; then
  exit 0
fi
.venv/bin/python -m grpc_tools.protoc -I proto --python_out="$out" --pyi_out="$out" --grpc_python_out="$out" "$proto"
