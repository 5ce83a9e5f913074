// A reader that reports damage and treats an entry that is being written as normal.
#include "harness/record/reader.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "harness/record/format.h"
#include "harness/record/words.h"

namespace gridlock::record {
namespace {

enum class Found : std::uint8_t { complete, being_written, overwritten };

// An entry under its sequence word; false when its owner is in the middle of it.
template <class T>
bool load_guarded(const T& in_box, T* entry) {
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = load_acquire(in_box.sequence);
    if (before % 2 != 0) continue;
    *entry = load_words(in_box);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (load_relaxed(in_box.sequence) == before) return true;
  }
  return false;
}

std::string bounded(const char* text, std::size_t size) {
  return {text, std::find(text, text + size, '\0')};
}

class Reading {
 public:
  Reading(const Box& box, std::uint64_t since, Snapshot* snapshot)
      : box_(box), out_(*snapshot), since_(since) {}

  // Whether everything that was found refers to something that was found.
  bool run() {
    read_threads();
    read_communicators();
    read_streams();
    // Last, so that it is beyond everything on the chains.
    collect(load_acquire(box_.header.operations));
    return resolved_;
  }

  void read_modules() {
    const std::uint32_t count = counted(box_.header.modules, kModules, "modules");
    for (std::uint32_t i = 0; i < count; ++i) {
      const ModuleEntry& entry = box_.modules[i];
      out_.modules.push_back({.begin = entry.begin,
                              .end = entry.end,
                              .bias = entry.bias,
                              .path = bounded(entry.path, sizeof entry.path)});
    }
  }

 private:
  void damaged(const std::string& sentence) {
    if (out_.damage.empty()) out_.damage = sentence;
  }

  std::uint32_t counted(const std::uint32_t& count, std::uint32_t limit, const char* what) {
    const std::uint32_t seen = load_acquire(count);
    if (seen > limit) {
      damaged("the box claims " + std::to_string(seen) + " " + what + ", a box holds at most " +
              std::to_string(limit) + ": it was overwritten by something else");
    }
    return std::min(seen, limit);
  }

  void changed(std::int64_t time_ns) {
    out_.last_change_ns = std::max(out_.last_change_ns, time_ns);
  }

  void read_threads() {
    const std::uint32_t count = counted(box_.header.threads, kThreads, "threads");
    for (std::uint32_t i = 0; i < count; ++i) {
      Thread& thread = out_.threads.emplace_back();
      ThreadEntry entry;
      if (!load_guarded(box_.threads[i], &entry)) continue;  // running: it is writing this
      if (entry.call > Call::group_end || entry.waits > Waits::operation) {
        damaged("thread " + std::to_string(i) + " of the box is in a call that does not exist");
        continue;
      }
      thread.tid = entry.tid;
      thread.exists = entry.tid != 0;
      thread.epoch = entry.sequence / 2;
      thread.call = entry.call;
      thread.waits = entry.waits;
      thread.since_ns = entry.since_ns;
      thread.device = entry.device;
      thread.stream = entry.stream;
      thread.position = entry.position;
      thread.communicator = entry.communicator;
      std::copy(std::begin(entry.callers), std::end(entry.callers), thread.callers.begin());
      thread.label = entry.label;
      thread.label.bytes.back() = '\0';
      changed(entry.since_ns);
    }
  }

  void read_communicators() {
    const std::uint32_t count = counted(box_.header.communicators, kCommunicators, "communicators");
    first_operation_.assign(count, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
      Communicator& communicator = out_.communicators.emplace_back();
      CommunicatorEntry entry;
      if (!load_guarded(box_.communicators[i], &entry)) {
        resolved_ = false;
        continue;
      }
      if (entry.state > CommunicatorState::aborted || entry.last_call > Call::group_end) {
        damaged("communicator " + std::to_string(i) + " of the box is in no known state");
        continue;
      }
      communicator.id = entry.id;
      communicator.name = bounded(entry.name.bytes.data(), entry.name.bytes.size());
      communicator.size = entry.size;
      communicator.rank = entry.rank;
      communicator.device = entry.device;
      communicator.state = entry.state;
      communicator.next_slot = load_acquire(box_.communicators[i].next_slot);
      communicator.last_call = entry.last_call;
      communicator.calls = entry.calls;
      first_operation_[i] = entry.first_operation;
    }
  }

  // `word` is the low half of a position that is not beyond `enqueued`.
  std::uint64_t position(std::uint32_t word, std::uint64_t enqueued, std::uint32_t stream) {
    const std::uint32_t behind = static_cast<std::uint32_t>(enqueued) - word;
    if (behind > enqueued) {
      damaged("stream " + std::to_string(stream) + " of the box is past work it never got");
      return enqueued;
    }
    return enqueued - behind;
  }

  void read_streams() {
    const std::uint32_t count = counted(box_.header.streams, kStreams, "streams");
    last_operation_.assign(count, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
      Stream& stream = out_.streams.emplace_back();
      // First what was passed, then what was reached, then what was handed over: each bounds the
      // one before it. The chain comes last of all, so it holds every position handed over.
      const std::uint32_t completed = load_acquire(box_.progress[i].completed);
      const std::uint32_t started = load_acquire(box_.progress[i].started);
      stream.enqueued = load_acquire(box_.streams[i].enqueued);
      stream.completed = position(completed, stream.enqueued, i);
      stream.started = std::max(position(started, stream.enqueued, i), stream.completed);
      stream.polled = load_acquire(box_.streams[i].polled) != 0;
      last_operation_[i] = load_acquire(box_.streams[i].last_operation);
      StreamEntry entry;
      if (!load_guarded(box_.streams[i], &entry)) {
        resolved_ = false;
        continue;
      }
      stream.handle = entry.handle;
      stream.device = entry.device;
      stream.legacy = entry.legacy != 0;
      stream.non_blocking = entry.non_blocking != 0;
    }
  }

  Found load_operation(std::uint64_t index, OperationEntry* entry) const {
    const OperationEntry& in_box = box_.operations[index % kOperations];
    const std::uint64_t before = load_acquire(in_box.sequence);
    *entry = load_words(in_box);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const std::uint64_t after = load_relaxed(in_box.sequence);
    const std::uint64_t complete = 2 * index + 2;
    if (before == complete && after == complete) return Found::complete;
    return after <= complete ? Found::being_written : Found::overwritten;
  }

  // Adds the operation; false when it refers to what this reading has not seen.
  bool add(std::uint64_t index, const OperationEntry& entry) {
    if (entry.call == Call::none || entry.call > Call::legacy_work) {
      damaged("operation " + std::to_string(index) + " of the box is not a call");
      return true;
    }
    const auto beyond = [](std::uint32_t i, std::size_t size) { return i != kNone && i >= size; };
    if (beyond(entry.stream, out_.streams.size()) ||
        beyond(entry.event_stream, out_.streams.size()) ||
        beyond(entry.communicator, out_.communicators.size())) {
      return false;
    }
    Operation& operation = out_.operations.emplace_back();
    operation.index = index;
    operation.time_ns = entry.time_ns;
    operation.call = entry.call;
    operation.datatype = entry.datatype;
    operation.reduction = entry.reduction;
    operation.peer = entry.peer;
    operation.communicator = entry.communicator;
    if (entry.communicator != kNone && index < first_operation_[entry.communicator]) {
      operation.communicator = kNone;
    }
    operation.stream = entry.stream;
    operation.thread = beyond(entry.thread, out_.threads.size()) ? kNone : entry.thread;
    operation.slot = entry.slot;
    operation.count = entry.count;
    operation.position = entry.position;
    operation.leader = entry.leader <= index ? entry.leader : 0;
    operation.event_stream = entry.event_stream;
    operation.event_position = entry.event_position;
    std::copy(std::begin(entry.callers), std::end(entry.callers), operation.callers.begin());
    operation.label = entry.label;
    operation.label.bytes.back() = '\0';
    changed(entry.time_ns);
    return true;
  }

  // Everything on the chain of `stream` that the device is not past.
  void collect_in_flight(std::uint32_t stream, std::set<std::uint64_t>* indexes) {
    const std::uint64_t completed = out_.streams[stream].completed;
    std::uint64_t link = last_operation_[stream];
    for (std::uint32_t steps = 0; link != 0; ++steps) {
      if (steps == kOperations) {
        out_.overrun = true;
        return;
      }
      const std::uint64_t index = link - 1;
      OperationEntry entry;
      if (load_operation(index, &entry) != Found::complete) {
        out_.overrun = out_.overrun || out_.streams[stream].enqueued > completed;
        return;
      }
      if (entry.stream != stream || entry.previous > index) {
        damaged("the operations of stream " + std::to_string(stream) + " of the box are tangled");
        return;
      }
      if (entry.position <= completed) return;
      indexes->insert(index);
      link = entry.previous;
    }
  }

  void collect(std::uint64_t head) {
    std::set<std::uint64_t> indexes;
    for (std::uint32_t i = 0; i < out_.streams.size(); ++i) collect_in_flight(i, &indexes);
    const std::uint64_t oldest = head > kOperations ? head - kOperations : 0;
    for (std::uint64_t index = std::max(since_, oldest); index < head; ++index) {
      indexes.insert(index);
    }
    // Without a gap from `since_` on, so that the caller can go on where this ends: what comes
    // after an operation that is still being written is left for the next time.
    for (const std::uint64_t index : indexes) {
      OperationEntry entry;
      const Found found = load_operation(index, &entry);
      if (found == Found::overwritten) continue;
      if (found == Found::being_written || !add(index, entry)) {
        resolved_ = false;
        break;
      }
    }
    out_.recorded = head;
    OperationEntry newest;
    if (head > 0 && load_operation(head - 1, &newest) == Found::complete) changed(newest.time_ns);
  }

  const Box& box_;
  Snapshot& out_;
  std::uint64_t since_;
  bool resolved_ = true;
  std::vector<std::uint64_t> first_operation_;  // by communicator
  std::vector<std::uint64_t> last_operation_;   // by stream
};

// "" when `size` bytes at `box` are a box that this reader understands.
std::string not_a_box(const Header& header, std::size_t size) {
  if (load_acquire(header.magic) != kMagic) return "this is not a black box of gridlock";
  if (header.version != kVersion) {
    return "the box has format " + std::to_string(header.version) + ", this program reads format " +
           std::to_string(kVersion) + ": use the recorder that came with it";
  }
  if (header.box_size != sizeof(Box) || size < sizeof(Box)) {
    return "the box is cut off: " + std::to_string(size) + " bytes of " +
           std::to_string(sizeof(Box));
  }
  return "";
}

std::string what_was_lost(const Header& header) {
  std::string lost;
  const auto add = [&lost](const std::uint32_t& count, const char* what) {
    if (load_relaxed(count) == 0) return;
    lost += (lost.empty() ? "" : ", ") + std::to_string(load_relaxed(count)) + " " + what;
  };
  add(header.lost_threads, "threads");
  add(header.lost_communicators, "communicators");
  add(header.lost_streams, "streams");
  return lost.empty() ? "" : "the box was too small, it lacks " + lost;
}

}  // namespace

Snapshot read(const void* memory, std::size_t size, std::uint64_t since_index, Modules modules) {
  Snapshot snapshot;
  if (size == 0) return snapshot;
  if (size < sizeof(Header)) {
    snapshot.damage = "the box is cut off inside its header: " + std::to_string(size) + " bytes";
    return snapshot;
  }
  if (reinterpret_cast<std::uintptr_t>(memory) % alignof(Box) != 0) {
    // Not a mapping but somebody's buffer.
    const auto copy = std::make_unique<Box>();
    std::memcpy(copy.get(), memory, std::min(size, sizeof(Box)));
    return read(copy.get(), size, since_index, modules);
  }
  const Box& box = *static_cast<const Box*>(memory);
  if (load_acquire(box.header.magic) == 0) return snapshot;  // not claimed, or not completely
  snapshot.damage = not_a_box(box.header, size);
  if (!snapshot.damage.empty()) return snapshot;

  snapshot.rank = box.header.rank;
  snapshot.world_size = box.header.world_size;
  snapshot.pid = load_acquire(box.header.pid);
  snapshot.host = bounded(box.header.host, sizeof box.header.host);
  snapshot.backend = bounded(box.header.backend, sizeof box.header.backend);
  snapshot.nccl_version = load_relaxed(box.header.nccl_version);
  snapshot.initialised_ns = load_acquire(box.header.initialised_ns);
  snapshot.damage = what_was_lost(box.header);
  snapshot.last_change_ns = std::max(box.header.claimed_monotonic_ns, snapshot.initialised_ns);

  // An operation may refer to a table entry that is younger than our look at the table.
  constexpr int kTries = 3;
  const Snapshot start = snapshot;
  for (int i = 0; i < kTries; ++i) {
    snapshot = start;
    if (Reading(box, since_index, &snapshot).run()) break;
    if (i + 1 == kTries) snapshot.overrun = true;  // no proof from this one
  }
  if (modules == Modules::read) Reading(box, since_index, &snapshot).read_modules();
  return snapshot;
}

std::size_t box_size() { return sizeof(Box); }

}  // namespace gridlock::record
