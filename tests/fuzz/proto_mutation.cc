#include "tests/fuzz/proto_mutation.h"

#include <array>
#include <limits>
#include <random>

#include "google/protobuf/descriptor.h"

namespace rml {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr auto kIntegers = std::to_array<int64_t>(
    {-1, 0, 1, 2, 3, 4, 8, 9, 16, 99, int64_t{1} << 31, int64_t{1} << 62, std::numeric_limits<int32_t>::max(),
     std::numeric_limits<int32_t>::min(), std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()});
constexpr int kMaxAdded = 9;

class Mutation {
 public:
  Mutation(const std::vector<std::string>& words, uint32_t seed) : words_(words), random_(seed) {}

  void Run(Message& message) {
    const int changes = 1 + Below(3);
    for (int i = 0; i < changes; ++i) Change(*Any(message));
  }

 private:
  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  // The message or one of those inside it.
  Message* Any(Message& message) {
    std::vector<Message*> all;
    Collect(message, all);
    return all[static_cast<size_t>(Below(static_cast<int>(all.size())))];
  }

  static void Collect(Message& message, std::vector<Message*>& all) {
    all.push_back(&message);
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      if (!field->is_repeated()) {
        Collect(*reflection.MutableMessage(&message, field), all);
        continue;
      }
      for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        Collect(*reflection.MutableRepeatedMessage(&message, field, i), all);
      }
    }
  }

  void Change(Message& message) {
    if (message.GetDescriptor()->field_count() == 0) return;
    const FieldDescriptor* field = message.GetDescriptor()->field(Below(message.GetDescriptor()->field_count()));
    if (field->is_repeated()) {
      ChangeList(message, field);
    } else if (Below(4) == 0) {
      message.GetReflection()->ClearField(&message, field);
    } else {
      Set(message, field);
    }
  }

  void ChangeList(Message& message, const FieldDescriptor* field) {
    const Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, field);
    switch (size == 0 ? 0 : Below(5)) {
      case 0:
        for (int i = Below(kMaxAdded); i >= 0; --i) Set(message, field);
        break;
      case 1:
        reflection.RemoveLast(&message, field);
        break;
      case 2:
        reflection.SwapElements(&message, field, Below(size), Below(size));
        break;
      case 3:
        if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
          const Message& copied = reflection.GetRepeatedMessage(message, field, Below(size));
          reflection.AddMessage(&message, field)->CopyFrom(copied);
        } else {
          Set(message, field);
        }
        break;
      default:
        reflection.ClearField(&message, field);
    }
  }

  // Gives the field a value, or a list one more.
  void Set(Message& message, const FieldDescriptor* field) {
    const Reflection& reflection = *message.GetReflection();
    const auto set = [&](auto setter, auto adder, auto value) {
      if (field->is_repeated()) {
        (reflection.*adder)(&message, field, value);
      } else {
        (reflection.*setter)(&message, field, value);
      }
    };
    const int64_t integer = kIntegers[static_cast<size_t>(Below(kIntegers.size()))];
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return set(&Reflection::SetInt32, &Reflection::AddInt32, static_cast<int32_t>(integer));
      case FieldDescriptor::CPPTYPE_INT64:
        return set(&Reflection::SetInt64, &Reflection::AddInt64, integer);
      case FieldDescriptor::CPPTYPE_UINT32:
        return set(&Reflection::SetUInt32, &Reflection::AddUInt32, static_cast<uint32_t>(integer));
      case FieldDescriptor::CPPTYPE_UINT64:
        return set(&Reflection::SetUInt64, &Reflection::AddUInt64, static_cast<uint64_t>(integer));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return set(&Reflection::SetFloat, &Reflection::AddFloat, static_cast<float>(integer));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return set(&Reflection::SetDouble, &Reflection::AddDouble, static_cast<double>(integer));
      case FieldDescriptor::CPPTYPE_BOOL:
        return set(&Reflection::SetBool, &Reflection::AddBool, Below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return set(&Reflection::SetEnumValue, &Reflection::AddEnumValue, Below(field->enum_type()->value_count() + 1));
      case FieldDescriptor::CPPTYPE_STRING:
        return set(&Reflection::SetString, &Reflection::AddString, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (field->is_repeated()) {
          reflection.AddMessage(&message, field);
        } else {
          reflection.MutableMessage(&message, field);
        }
    }
  }

  std::string Text() {
    if (!words_.empty() && Below(3) != 0) return words_[static_cast<size_t>(Below(static_cast<int>(words_.size())))];
    return std::string(static_cast<size_t>(Below(100)), static_cast<char>(Below(128)));
  }

  const std::vector<std::string>& words_;
  std::minstd_rand random_;
};

}  // namespace

void MutateProto(Message& message, const std::vector<std::string>& words, uint32_t seed) {
  Mutation(words, seed).Run(message);
}

}  // namespace rml
