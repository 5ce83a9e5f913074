// Reads a box's tables: threads, communicators, pairs, streams, modules.
#include <algorithm>

#include "harness/record/reading.h"

namespace gridlock::record {
namespace {

// Reads an entry under its sequence word; false while its owner is writing it.
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

}  // namespace

std::string bounded(const char* text, std::size_t size) {
  return {text, std::find(text, text + size, '\0')};
}

bool Reading::run() {
  read_threads();
  read_communicators();
  read_pairs();
  read_streams();
  find_requests();
  // Read last, so that it lies beyond everything on the chains.
  collect(load_acquire(box_.header.operations));
  return resolved_;
}

void Reading::read_modules() {
  const std::uint32_t count = counted(box_.header.modules, kModules, "modules");
  for (std::uint32_t i = 0; i < count; ++i) {
    const ModuleEntry& entry = box_.modules[i];
    out_.modules.push_back({.begin = entry.begin,
                            .end = entry.end,
                            .bias = entry.bias,
                            .path = bounded(entry.path, sizeof entry.path)});
  }
}

void Reading::damaged(const std::string& sentence) {
  if (out_.damage.empty()) out_.damage = sentence;
}

std::uint32_t Reading::counted(const std::uint32_t& count, std::uint32_t limit, const char* what) {
  const std::uint32_t seen = load_acquire(count);
  if (seen > limit) {
    damaged("the box claims " + std::to_string(seen) + " " + what + ", a box holds at most " +
            std::to_string(limit) + ": it was overwritten by something else");
  }
  return std::min(seen, limit);
}

void Reading::changed(std::int64_t time_ns) {
  out_.last_change_ns = std::max(out_.last_change_ns, time_ns);
}

void Reading::read_threads() {
  const std::uint32_t count = counted(box_.header.threads, kThreads, "threads");
  requests_.assign(count, {});
  first_of_group_.assign(count, 0);
  out_.threads.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Thread& thread = out_.threads.emplace_back();
    ThreadEntry entry;
    if (!load_guarded(box_.threads[i], &entry)) continue;  // running: it is writing this
    if (entry.call > kLastCall || entry.waits > Waits::any_request) {
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
    if (entry.waits != Waits::nothing) {
      thread.stream = entry.stream;
      thread.position = entry.position;
      thread.communicator = entry.communicator;
      thread.launches = entry.launches;
      std::copy(std::begin(entry.requests), std::end(entry.requests), requests_[i].begin());
    }
    if (entry.call == Call::group_end && entry.waits == Waits::operation) {
      first_of_group_[i] = entry.position;
    }
    changed(entry.since_ns);
    read_asked(entry, thread);
    // A launch leaves the words of the last wait as they are, but for a few.
    if (thread.is_launching()) {
      thread.since_ns = static_cast<std::int64_t>(entry.position);
      thread.position = 0;
      continue;
    }
    std::copy(std::begin(entry.callers), std::end(entry.callers), thread.callers.begin());
    thread.label = entry.label;
    thread.label.bytes.back() = '\0';
  }
}

void Reading::read_asked(const ThreadEntry& entry, Thread& thread) {
  const auto waits = static_cast<Waits>(entry.asked >> 56U);
  // A launch lets the words stand, but the thread does not ask while it is in one.
  const bool asks = entry.waits == Waits::nothing && entry.asked_ns != 0;
  if (!asks || waits > Waits::any_request) return;
  thread.asked = {.waits = waits,
                  .of = static_cast<std::uint32_t>(entry.asked >> 48U & 0xffU),
                  .position = entry.asked & kAskedPosition,
                  .at_ns = entry.asked_ns};
}

void Reading::read_communicators() {
  const std::uint32_t count = counted(box_.header.communicators, kCommunicators, "communicators");
  first_operation_.assign(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    Communicator& communicator = out_.communicators.emplace_back();
    CommunicatorEntry entry;
    if (!load_guarded(box_.communicators[i], &entry)) {
      resolved_ = false;
      continue;
    }
    if (entry.state > CommunicatorState::aborted || entry.last_call > kLastCall) {
      damaged("communicator " + std::to_string(i) + " of the box is in no known state");
      continue;
    }
    communicator.id = entry.id;
    communicator.name = bounded(entry.name.bytes.data(), entry.name.bytes.size());
    communicator.size = entry.size;
    communicator.rank = entry.rank;
    communicator.device = entry.device;
    communicator.state = entry.state;
    communicator.mpi = entry.mpi != 0;
    communicator.uncertain = load_acquire(box_.communicators[i].uncertain) != 0;
    communicator.graphs = load_acquire(box_.communicators[i].graphs);
    communicator.next_slot = load_acquire(box_.communicators[i].next_slot);
    const std::uint64_t failure = load_acquire(box_.communicators[i].failure);
    const Call failed = static_cast<Call>(failure >> 8U & 0xffU);
    const bool can_fail =
        is_communication(failed) || failed == Call::comm_split || failed == Call::comm_shrink;
    if (failure != 0 && failure >> 16U == communicator.next_slot && can_fail) {
      communicator.failed_call = failed;
      communicator.failed_result = static_cast<std::uint8_t>(failure);
    }
    communicator.last_call = entry.last_call;
    communicator.calls = entry.calls;
    first_operation_[i] = entry.first_operation;
    const bool is_over =
        entry.state == CommunicatorState::closed || entry.state == CommunicatorState::aborted;
    if (entry.serial != 0 && !is_over) by_serial_[entry.serial] = i;
  }
}

// Read before the operations: messages launched in between are among those.
void Reading::read_pairs() {
  const std::uint32_t count = counted(box_.header.pairs, kPairs, "pairs of ranks");
  const bool complete = load_acquire(box_.header.lost_pairs) == 0;
  for (const auto& [serial, index] : by_serial_) {
    out_.communicators[index].counts_messages = complete;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const PairEntry& entry = box_.pairs[i];
    const std::uint64_t key = load_acquire(entry.key);
    const std::uint64_t messages = load_acquire(entry.count);
    const auto found = by_serial_.find(key >> 33U);
    // No key is used twice, so a key that is still there was there all the time.
    if (key == 0 || load_acquire(entry.key) != key || found == by_serial_.end()) continue;
    out_.communicators[found->second].messages.push_back(
        {.peer = static_cast<std::int32_t>(key >> 1U & 0xffffffffU),
         .sends = (key & 1U) == 0,
         .count = messages});
  }
  // If an entry has got a new user meanwhile, some of its pairs may have been missed.
  for (const auto& [serial, index] : by_serial_) {
    if (load_acquire(box_.communicators[index].serial) != serial) {
      out_.communicators[index].counts_messages = false;
    }
  }
}

std::uint64_t Reading::position(std::uint32_t word, std::uint64_t enqueued, std::uint32_t stream) {
  const std::uint32_t behind = static_cast<std::uint32_t>(enqueued) - word;
  if (behind > enqueued) {
    damaged("stream " + std::to_string(stream) + " of the box is past work it never got");
    return enqueued;
  }
  return enqueued - behind;
}

void Reading::read_streams() {
  const std::uint32_t count = counted(box_.header.streams, kStreams, "streams");
  last_operation_.assign(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    Stream& stream = out_.streams.emplace_back();
    // Read in this order: completed, started, enqueued. Each bounds the one before it. The chain
    // comes last, so it holds every enqueued position.
    const std::uint32_t completed = load_acquire(box_.progress[i].completed);
    const std::uint32_t started = load_acquire(box_.progress[i].started);
    stream.enqueued = load_acquire(box_.streams[i].enqueued);
    stream.completed = position(completed, stream.enqueued, i);
    // A call that is not launched yet may already have marked its start, one ahead.
    const bool ahead = started == static_cast<std::uint32_t>(stream.enqueued + 1);
    const std::uint64_t reached =
        ahead ? stream.enqueued + 1 : position(started, stream.enqueued, i);
    stream.started = std::max(reached, stream.completed);
    stream.polled = load_acquire(box_.streams[i].polled) != 0;
    stream.missed = load_acquire(box_.streams[i].missed);
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
    stream.mpi = entry.mpi != 0;
  }
}

void Reading::find_requests() {
  for (std::uint32_t i = 0; i < out_.threads.size(); ++i) {
    Thread& thread = out_.threads[i];
    if (thread.waits != Waits::all_requests && thread.waits != Waits::any_request) continue;
    for (std::uint32_t at = 0; at < out_.streams.size(); ++at) {
      const std::uint64_t request = out_.streams[at].handle - 1;
      if (!out_.streams[at].mpi || request >= kRequests) continue;
      if ((requests_[i][request / 64] >> (request % 64) & 1U) != 0) thread.requests.push_back(at);
    }
  }
}

}  // namespace gridlock::record
