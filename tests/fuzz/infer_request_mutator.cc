// Half of the mutations of the target infer_request: the message changed as a message, with the model's own names.
#include <cstdint>
#include <string>
#include <vector>

#include "inference/grpc_service.pb.h"
#include "tests/fuzz/libfuzzer.h"
#include "tests/fuzz/proto_mutation.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  static const auto* const words = new std::vector<std::string>{"x",
                                                                "ids",
                                                                "s",
                                                                "y",
                                                                "z",
                                                                "t",
                                                                "FP32",
                                                                "INT32",
                                                                "INT64",
                                                                "timeout",
                                                                "priority",
                                                                "sequence_id",
                                                                "shared_memory_region",
                                                                "",
                                                                "7",
                                                                "0123",
                                                                "01234567",
                                                                "\xc3\xa9"};
  inference::ModelInferRequest request;
  if (seed % 2 == 0 || !request.ParseFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, max_size);
  rml::MutateProto(request, *words, seed / 2);
  const size_t changed = request.ByteSizeLong();
  if (changed > max_size) return LLVMFuzzerMutate(data, size, max_size);
  request.SerializeToArray(data, static_cast<int>(changed));
  return changed;
}
