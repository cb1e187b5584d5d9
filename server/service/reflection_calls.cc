#include "server/service/reflection_calls.h"

#include <grpcpp/server_context.h>

#include <string_view>

namespace rml {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;

class ReflectionCall : public Interceptor {
 public:
  ReflectionCall(grpc::ServerContextBase& context, CallEnder& ender) : context_(context), ender_(ender) {}
  ~ReflectionCall() override { ender_.Remove(this); }

  // The context can be cancelled from when its call begins until its status is sent.
  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_INITIAL_METADATA)) {
      ender_.Add(this, [this] { context_.TryCancel(); });
    }
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) ender_.Remove(this);
    methods->Proceed();
  }

 private:
  grpc::ServerContextBase& context_;
  CallEnder& ender_;
};

class ReflectionCallFinder : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit ReflectionCallFinder(CallEnder& ender) : ender_(ender) {}

  Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override {
    constexpr std::string_view kReflection = "/grpc.reflection.";  // of any version
    if (std::string_view(info->method()).substr(0, kReflection.size()) != kReflection) return nullptr;
    return new ReflectionCall(*info->server_context(), ender_);
  }

 private:
  CallEnder& ender_;
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeReflectionCallFinder(CallEnder& ender) {
  return std::make_unique<ReflectionCallFinder>(ender);
}

}  // namespace rml
