// Snapshots with something in every field, and a way to compare them.
#pragma once

#include <string>

#include "harness/agents/snapshot_fields.h"
#include "harness/record/snapshot.h"

namespace gridlock::agents {

// An archive that gives each field a value that no earlier field has. The comparison of bytes below
// would not notice a forgotten field, but the structured bindings would not compile without it.
class Filler {
 public:
  template <typename... Values>
  void operator()(Values&... values) {
    (fill(values), ...);
  }
  template <typename... Times>
  void times(Times&... times) {
    ((times = 1'000'000 + ++next_), ...);
  }
  template <typename Value, typename Visit>
  void list(std::vector<Value>& values, Visit visit) {
    values.assign(2, {});
    for (Value& value : values) visit(*this, value);
  }

 private:
  template <typename Value>
  void fill(Value& value) {
    ++next_;
    if constexpr (std::is_same_v<Value, bool>) {
      value = true;
    } else if constexpr (std::is_same_v<Value, char>) {
      value = 'S';
    } else if constexpr (std::is_enum_v<Value>) {
      value = kLast<Value>;
    } else if constexpr (std::is_integral_v<Value>) {
      value = static_cast<Value>(std::is_signed_v<Value> && next_ % 2 == 0 ? -next_ : next_);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      value = "text " + std::to_string(next_);
    } else if constexpr (std::is_same_v<Value, record::Label>) {
      value = record::Label("label " + std::to_string(next_));
    } else {
      if constexpr (requires { value.resize(2); }) value.resize(2);
      for (auto& each : value) fill(each);
    }
  }
  int next_ = 0;
};

// A snapshot of `rank` that refers to what it holds.
inline record::Snapshot full_snapshot(int rank) {
  record::Snapshot snapshot;
  Filler filler;
  for (const Section section : {Section::head, Section::threads, Section::communicators,
                                Section::streams, Section::operations}) {
    visit_section(filler, snapshot, section);
  }
  snapshot.rank = rank;
  for (record::Operation& operation : snapshot.operations) {
    operation.communicator = 1;
    operation.stream = 0;
    operation.thread = 1;
    operation.event_stream = record::kNone;
  }
  return snapshot;
}

// Everything of a snapshot that is sent.
inline std::string bytes_of(const record::Snapshot& snapshot) {
  Writer writer;
  for (const Section section : {Section::head, Section::threads, Section::communicators,
                                Section::streams, Section::operations}) {
    visit_section(writer, snapshot, section);
  }
  return writer.take();
}

}  // namespace gridlock::agents
