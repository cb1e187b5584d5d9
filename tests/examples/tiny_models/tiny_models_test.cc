#include "examples/tiny_models/tiny_models.h"

#include <gtest/gtest.h>

#include "tests/examples/exact_check/expect_exact.h"

namespace rml {
namespace {

TEST(TinyModels, EveryCnnHasTheExactBits) { ExpectExact(RML_TINY_MODELS_EXPORTS, TinyCnn()); }
TEST(TinyModels, EveryLstmHasTheExactBits) { ExpectExact(RML_TINY_MODELS_EXPORTS, TinyLstm()); }
TEST(TinyModels, EveryTransformerHasTheExactBits) { ExpectExact(RML_TINY_MODELS_EXPORTS, TinyTransformer()); }

}  // namespace
}  // namespace rml
