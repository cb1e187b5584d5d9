#include "tests/fuzz/json_mutation.h"

#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"

namespace rml {
namespace {

using Json = nlohmann::ordered_json;

class Mutation {
 public:
  Mutation(Json& document, uint32_t seed) : document_(document), random_(seed) {}

  void Run() {
    const size_t changes = 1 + Below(3);
    for (size_t i = 0; i < changes; ++i) ChangeOnce();
  }

 private:
  size_t Below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random_); }

  // All values of the document, parents before children.
  static void Collect(Json& value, std::vector<Json*>& all) {
    all.push_back(&value);
    for (Json& item : value) {
      if (value.is_structured()) Collect(item, all);
    }
  }

  Json& Any() {
    std::vector<Json*> all;
    Collect(document_, all);
    return *all[Below(all.size())];
  }

  Json Interesting() {
    static const auto* const values = new std::vector<Json>{-1,
                                                            0,
                                                            1,
                                                            2,
                                                            3,
                                                            4,
                                                            8,
                                                            16,
                                                            17,
                                                            64,
                                                            65535,
                                                            1 << 20,
                                                            1 << 30,
                                                            INT32_MAX,
                                                            INT32_MIN,
                                                            INT64_MAX,
                                                            INT64_MIN,
                                                            UINT64_MAX,
                                                            -0.0,
                                                            0.5,
                                                            1e-45,
                                                            1.5e38,
                                                            1e308,
                                                            true,
                                                            false,
                                                            nullptr,
                                                            "",
                                                            "B",
                                                            "2*B",
                                                            "64*B",
                                                            "1099511627776*B",
                                                            "a",
                                                            Json::array(),
                                                            Json::object(),
                                                            Json::array({0, 1}),
                                                            Json::array({"B", 1})};
    return (*values)[Below(values->size())];
  }

  Json Replacement(const Json& old) {
    switch (Below(3)) {
      case 0:
        return Interesting();
      case 1:
        return Any();
      default:
        if (old.is_number_integer()) return static_cast<int64_t>(old.get<uint64_t>() + Below(5) - 2);
        return Any();
    }
  }

  void ChangeOnce() {
    Json& place = Any();
    if (!place.is_structured() || place.empty() || Below(8) == 0) {
      place = Replacement(place);
      return;
    }
    const size_t at = Below(place.size());
    switch (Below(4)) {
      case 0:
        place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(at)));
        break;
      case 1:
        Repeat(place, at);
        break;
      case 2:
        std::swap(Item(place, at), Item(place, Below(place.size())));
        break;
      default:
        Item(place, at) = Replacement(Item(place, at));
    }
  }

  static Json& Item(Json& place, size_t at) { return *std::next(place.begin(), static_cast<std::ptrdiff_t>(at)); }

  // An element or key twice; keys may be given twice in the text, whatever the reader says to that.
  void Repeat(Json& place, size_t at) {
    if (place.is_array()) {
      Json copy = place[at];
      place.insert(std::next(place.begin(), static_cast<std::ptrdiff_t>(Below(place.size() + 1))), std::move(copy));
      return;
    }
    const auto pair = std::next(place.begin(), static_cast<std::ptrdiff_t>(at));
    std::string key = pair.key();
    Json copy = pair.value();
    place.get_ref<Json::object_t&>().emplace_back(std::move(key), std::move(copy));
  }

  Json& document_;
  std::minstd_rand random_;
};

}  // namespace

std::string MutateJson(std::string_view text, uint32_t seed) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return "";
  Mutation(document, seed).Run();
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rml
