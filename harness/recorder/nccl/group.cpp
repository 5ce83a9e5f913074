// Groups.
#include "harness/recorder/nccl/group.h"

#include <pthread.h>

#include <atomic>
#include <optional>

#include "harness/record/words.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/placing.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/core/streams/streams.h"
#include "harness/recorder/nccl/awaited_handles.h"
#include "harness/recorder/nccl/communicate.h"

namespace gridlock::recorder {
namespace {

// By communicator: where its handle will be. One table serves all groups, because each communicator
// is opened in only one.
struct Opened {
  bool named = false;
  ncclComm_t* where = nullptr;
  ncclComm_t before = nullptr;  // what was there
};
Opened g_opened[record::kCommunicators];

// The same for how it is closed, and how many calls of the group do so.
struct Closed {
  Closing closing;
  int calls = 0;
};
Closed g_closed[record::kCommunicators];

// NCCL may be writing it at this moment.
ncclComm_t handle_at(ncclComm_t* where) {
  return std::atomic_ref(*where).load(std::memory_order_acquire);
}

bool has_no_error(ncclComm_t handle) {
  return handle != nullptr && error_of(handle) == ncclSuccess;
}

// If a thread ends with its group open, its calls are dropped. Whether that will be seen: not if
// the process has no key left.
bool await_end(Group* group) {
  static const std::optional<pthread_key_t> key = []() -> std::optional<pthread_key_t> {
    pthread_key_t made{};
    const auto abandon = [](void* ending) { static_cast<Group*>(ending)->abandon(); };
    if (pthread_key_create(&made, abandon) != 0) return std::nullopt;
    return made;
  }();
  return key && pthread_setspecific(*key, group) == 0;
}

}  // namespace

Group& this_group() {
  thread_local constinit Group group;
  return group;
}

void Group::start() {
  ++depth_;
  if (!ends_seen_) [[unlikely]]
    ends_seen_ = await_end(this);
}

std::uint64_t Group::add(record::OperationEntry& entry, bool captured) {
  const bool on_stream = entry.stream != record::kNone && !captured;
  const bool known = entry.communicator != record::kNone;
  const bool leads = known && !batch_.communicators.has(entry.communicator);
  if (captured) entry.graph = record::kIntoGraph;
  std::uint64_t index = 0;
  {
    const Turn turn;
    if (known && !leads) {
      const std::uint64_t next = record::load_relaxed(writer().box().header.operations);
      entry.leader = static_cast<std::uint32_t>(next - batch_.first) - leaders_[entry.communicator];
    }
    index = writer().add(entry, on_stream);
  }
  if (operations_++ == 0) {
    batch_.first = index;
    batch_.communicator = entry.communicator;
    batch_.tallies = tallies_;
  }
  batch_.thread = entry.thread;
  time_ns_ = entry.time_ns;
  batch_.end = index + 1;
  if (on_stream) batch_.streams.set(entry.stream);
  if (leads) {
    batch_.communicators.set(entry.communicator);
    leaders_[entry.communicator] = static_cast<std::uint32_t>(index - batch_.first);
    tallies_[entry.communicator] = {};
  }
  if (known) ++tallies_[entry.communicator].of(entry.call, captured);
  return index;
}

void Group::forget(const Begun& begun) {
  note_refusal();
  own_messages_.forget(begun.placed.index);
  if (begun.communicator != record::kNone) {
    --tallies_[begun.communicator].of(begun.call, begun.captured);
  }
  // The whole group fails with it. Only until then may others still have it as their leader.
  if (--operations_ == 0 && batch_.first == begun.placed.index) batch_ = {};
}

void Group::note_wait(const Wait& wait) {
  if (wait_.waits == record::Waits::nothing) wait_ = wait;
}

void Group::note_opening(std::uint32_t communicator, ncclComm_t* where, bool named) {
  if (communicator == record::kNone) return;
  g_opened[communicator] = {
      .named = named, .where = where, .before = named ? nullptr : handle_at(where)};
  openings_.set(communicator);
}

void Group::note_closing(std::uint32_t communicator, const Closing& closing) {
  if (communicator == record::kNone) return;
  Closed& all = g_closed[communicator];
  const bool again = closings_.has(communicator);
  const Standing before = again ? all.closing.before : closing.before;
  all = {.closing = closing, .calls = again ? all.calls + 1 : 1};
  all.closing.before = before;
  closings_.set(communicator);
}

void Group::note_split(std::uint32_t parent) {
  if (parent == record::kNone) return;
  ++splits_[parent];
  has_split_ = true;
}

void Group::settle_splits() {
  if (!has_split_) return;
  for (std::uint32_t parent = 0; parent < record::kCommunicators; ++parent) {
    for (; splits_[parent] > 0; --splits_[parent]) {
      if (is_refused_) take_back_split(parent);
    }
  }
  has_split_ = false;
}

void closed(std::uint32_t communicator, const Closing& closing) {
  if (closing.frees) {
    forget_communicator(closing.handle, communicator);
    forget_handles(communicator);
  }
  change_state(communicator, closing.after);
}

void Group::settle_closings(ncclResult_t result) {
  closings_.for_each([this, result](std::uint32_t communicator) {
    Closed& all = g_closed[communicator];
    if (!is_error(result)) return closed(communicator, all.closing);
    // Unless NCCL refused the group, it may have closed the communicator before it failed.
    if (!is_refused_) mark_uncertain(communicator);
    for (; all.calls > 0; --all.calls) take_back_call(communicator, all.closing.before);
  });
}

void Group::settle_openings(ncclResult_t result) {
  std::uint64_t calls = operations_;
  for (const auto& others : {openings_, closings_}) {
    others.for_each([&calls](std::uint32_t) { ++calls; });
  }
  const bool by_another = is_error(result) && !is_refused_ && calls > 1;
  // What was refused with its group leaves nothing behind: no other member has heard of it.
  if (is_error(result) && is_refused_) result = ncclInvalidArgument;
  openings_.for_each([by_another, result](std::uint32_t communicator) {
    const Opened& opening = g_opened[communicator];
    // A handle that was known at the call may no longer be in its variable.
    ncclComm_t handle = opening.before;
    if (by_another) {
      handle = opening.named ? communicator_handle(communicator) : handle_at(opening.where);
    }
    if (handle != opening.before && has_no_error(handle)) {
      // NCCL makes the communicators before it launches anything.
      mark_uncertain(communicator);
      opened(communicator, handle, ncclSuccess);
    } else if (opening.named) {
      opened(communicator, nullptr, result);
    } else {
      opened_at(communicator, opening.where, result);
    }
  });
}

void Group::send_off() {
  batch_.called = record::load_relaxed(writer().box().header.launches);
  if (wait_.waits == record::Waits::operation) wait_.position = 1 + batch_.first;
  {
    const Turn turn;
    batch_.streams.for_each([&](std::uint32_t stream) { foresee(turn, stream); });
  }
  batch_.streams.for_each([](std::uint32_t stream) {
    mark_started(stream);
    PlacesWork::on(this_thread(), stream);
  });
  if (is_refused_) return;
  closings_.for_each([](std::uint32_t communicator) {
    change_state(communicator, record::CommunicatorState::closing);
  });
}

void Group::settle(ncclResult_t result) {
  if (operations_ == 0) return;
  if (own_messages_.any() && !is_error(result) && own_messages_.drop_in_place(tallies_)) {
    leave_streams_without_work(batch_);
  }
  if (is_error(result)) {
    // NCCL launches one communicator after the other, and may have failed in between.
    if (!is_refused_ && !is_refused(result)) batch_.communicators.for_each(mark_uncertain);
    drop(batch_, static_cast<std::uint8_t>(result));
  } else if (result == ncclInProgress) {
    launch_later(batch_);
  } else {
    launch(batch_);
  }
}

void Group::finish(ncclResult_t result) {
  // NCCL's group has not heard of every call that it refused.
  if (!is_error(result)) is_refused_ = false;
  settle(result);
  settle_splits();
  settle_closings(result);
  settle_openings(result);
  openings_ = {};
  closings_ = {};
  operations_ = 0;
  batch_ = {};
  wait_ = {};
  is_refused_ = false;
  own_messages_.clear();
}

void Group::abandon() {
  if (!has_begun_recording()) return;
  if (operations_ > 0) drop(batch_, record::kDropped);
  operations_ = 0;
  is_refused_ = true;  // NCCL forgets the group with its thread
  finish(ncclInvalidUsage);
}

void Group::finish_simulated(ncclResult_t result) {
  // A thread of NCCL's goes on with a non-blocking group, and launches it.
  if (result == ncclInProgress) return finish(result);
  if (operations_ > 0) drop(batch_, record::kSimulated);
  operations_ = 0;
  is_refused_ = is_refused_ || is_refused(result);
  settle_closings(ncclInvalidUsage);
  closings_ = {};
  finish(result);
}

}  // namespace gridlock::recorder
