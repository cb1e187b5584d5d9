// A call of ModelStreamInfer: requests in, answers out in the order of the requests.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstddef>

#include "server/scheduler/job.h"
#include "server/service/call_ender.h"
#include "server/service/open_inference_api.h"

namespace rml {

// Requests of one stream that are computed or wait for their turn to be answered. The next is read when one has gone, so
// that a client that does not read its answers stops being listened to.
inline constexpr size_t kMaxStreamed = 16;

// What is wrong with a request is the error_message of its answer; the stream goes on. It ends when the client has sent its
// last request and all are answered, or, with UNAVAILABLE, by `ender` when those that have been read are. deadline: of
// each request. Deletes itself when gRPC is done with it. `api` and `ender` outlive it.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* NewInferStream(OpenInferenceApi& api, SteadyTime deadline,
                                                                            CallEnder& ender);

}  // namespace rml
