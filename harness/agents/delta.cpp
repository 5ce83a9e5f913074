// Writes the sections that differ, and checks the references between them.
#include "harness/agents/delta.h"

#include <algorithm>

namespace gridlock::agents {
namespace {

using record::Snapshot;

constexpr std::array kAll{Section::head, Section::threads, Section::communicators, Section::streams,
                          Section::operations};
static_assert(kAll.size() == kSections);

// Whether everything that the snapshot refers to is in it. Code that reads snapshots relies on
// that, and the reader of boxes guarantees it too.
bool is_sound(const Snapshot& snapshot) {
  const auto fits = [](std::uint32_t index, std::size_t size) {
    return index == record::kNone || index < size;
  };
  const std::size_t streams = snapshot.streams.size();
  const std::size_t communicators = snapshot.communicators.size();
  const std::size_t threads = snapshot.threads.size();
  const bool sorted =
      std::is_sorted(snapshot.operations.begin(), snapshot.operations.end(),
                     [](const auto& one, const auto& other) { return one.index < other.index; });
  return sorted && std::all_of(snapshot.operations.begin(), snapshot.operations.end(),
                               [&](const record::Operation& operation) {
                                 return fits(operation.communicator, communicators) &&
                                        fits(operation.stream, streams) &&
                                        fits(operation.event_stream, streams) &&
                                        fits(operation.thread, threads);
                               });
}

// An archive that shifts times and keeps all other values.
struct Shift {
  std::int64_t by;

  template <typename... Values>
  void operator()(const Values&... values) const {
    (static_cast<void>(values), ...);
  }
  template <typename... Times>
  void times(Times&... times) const {
    ((times += times == 0 ? 0 : by), ...);
  }
  template <typename Value, typename Visit>
  void list(std::vector<Value>& values, Visit visit) {
    for (Value& value : values) visit(*this, value);
  }
};

}  // namespace

void DeltaWriter::write(std::span<const Snapshot> snapshots, Writer& writer) {
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    std::uint8_t changed = 0;
    for (std::size_t part = 0; part < kAll.size(); ++part) {
      Writer section;
      visit_section(section, snapshots[i], kAll.at(part));
      std::string& before = sent_[i].at(part);
      if (before == section.bytes()) continue;
      before = section.take();
      changed = static_cast<std::uint8_t>(changed | 1U << part);
    }
    writer(changed);
    for (std::size_t part = 0; part < kAll.size(); ++part) {
      if ((changed >> part & 1U) != 0) writer.raw(sent_[i].at(part));
    }
  }
}

void read_delta(Reader& reader, std::span<Snapshot> snapshots) {
  for (Snapshot& snapshot : snapshots) {
    std::uint8_t changed = 0;
    reader(changed);
    if (changed >> kSections != 0) throw WireError("a message has a section that does not exist");
    const std::int32_t rank = snapshot.rank;
    for (std::size_t part = 0; part < kAll.size(); ++part) {
      if ((changed >> part & 1U) != 0) visit_section(reader, snapshot, kAll.at(part));
    }
    if (changed == 0) continue;
    if ((rank >= 0 && snapshot.rank != rank) || !is_sound(snapshot)) {
      throw WireError("a message refers to what it does not hold");
    }
  }
}

void shift_times(Snapshot& snapshot, std::int64_t nanoseconds) {
  Shift shift{nanoseconds};
  for (const Section section : kAll) visit_section(shift, snapshot, section);
}

}  // namespace gridlock::agents
