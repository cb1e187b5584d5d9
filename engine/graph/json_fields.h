// Typed access to the fields of a JSON object from outside, with errors that name place, expected and got.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/graph/dim.h"
#include "engine/graph/strict_json.h"

namespace rml {

// Reads one object. `where` is the place in messages ("nodes[3]"). Holds references: for use inside a scope.
class JsonFields {
 public:
  JsonFields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  // An error unless the value is an object whose keys are all in `known`; names every unknown key.
  absl::Status CheckKeys(std::initializer_list<const char*> known) const;

  bool Has(const char* key) const { return object_.contains(key); }
  absl::StatusOr<std::string> String(const char* key) const;
  absl::StatusOr<int64_t> Int(const char* key, int64_t min, int64_t max) const;
  absl::StatusOr<bool> Bool(const char* key) const;
  absl::StatusOr<const Json*> Array(const char* key) const;
  absl::StatusOr<const Json*> Object(const char* key) const;
  absl::StatusOr<std::vector<int32_t>> Ids(const char* key) const;
  absl::StatusOr<std::vector<Dim>> Dims(const char* key) const;

  absl::Status Wrong(const char* key, const std::string& expected) const;
  const std::string& where() const { return where_; }

 private:
  const Json* Find(const char* key) const;

  const Json& object_;
  std::string where_;
};

// An integer, "B" or "64*B"; an error that quotes anything else. Multiples of B are from 1 to 2^40.
absl::StatusOr<Dim> ParseDim(const Json& value);

}  // namespace rml
