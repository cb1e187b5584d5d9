#include "server/service/rpc_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "google/rpc/status.pb.h"
#include "server/service/problems.h"

namespace rml {

grpc::Status ToRpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string message = Cut(std::string(status.message()), kMaxMessageBytes);
  const auto payload = status.GetPayload(kBadRequestType);
  if (!payload) return {code, message};
  google::rpc::Status details;
  details.set_code(code);
  details.set_message(Cut(message, 256));  // it stands in the status already; trailers are bounded
  google::protobuf::Any& any = *details.add_details();
  any.set_type_url(kBadRequestType);
  any.set_value(std::string(*payload));
  return {code, message, details.SerializeAsString()};
}

}  // namespace rml
