// Typed access to the fields of a JSON object from outside, with errors that name place, expected and got.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/graph/dim.h"
#include "nlohmann/json.hpp"

namespace rml {

// Reads one object. `where` is the place in messages ("nodes[3]"). Holds references; use within a statement or scope.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {}

  // An error unless the value is an object whose keys are all in `known`; names every unknown key.
  absl::Status CheckKeys(std::initializer_list<const char*> known) const;

  bool Has(const char* key) const { return object_.contains(key); }
  absl::StatusOr<std::string> String(const char* key) const;
  absl::StatusOr<int64_t> Int(const char* key, int64_t min, int64_t max) const;
  absl::StatusOr<bool> Bool(const char* key) const;
  absl::StatusOr<const nlohmann::json*> Array(const char* key) const;
  absl::StatusOr<const nlohmann::json*> Object(const char* key) const;
  absl::StatusOr<std::vector<int32_t>> Ids(const char* key) const;
  absl::StatusOr<std::vector<Dim>> Dims(const char* key) const;

  absl::Status Wrong(const char* key, const std::string& expected) const;
  const std::string& where() const { return where_; }

 private:
  const nlohmann::json* Find(const char* key) const;

  const nlohmann::json& object_;
  std::string where_;
};

// An integer, "B" or "64*B"; nullopt-like error for anything else. Multiples of B are from 1 to 2^40.
absl::StatusOr<Dim> ParseDim(const nlohmann::json& value);

}  // namespace rml
