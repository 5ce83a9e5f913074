// Launches batches, and those that NCCL launches later.
#include "harness/recorder/nccl/launch.h"

#include <algorithm>
#include <utility>

#include "harness/record/words.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/operations.h"
#include "harness/recorder/core/recorder.h"
#include "harness/recorder/core/streams/captures.h"
#include "harness/recorder/core/streams/progress.h"
#include "harness/recorder/core/streams/streams.h"
#include "harness/recorder/core/thread.h"
#include "harness/recorder/nccl/communicate.h"

namespace gridlock::recorder {

constinit std::atomic<std::uint32_t> g_deferred = 0;

namespace {

using record::kOperations;
using record::OperationEntry;

// Whether an operation in the ring belongs to the batch and its `launched` is `state`.
bool belongs(const OperationEntry* entry, const Batch& batch, std::uint64_t state) {
  return entry != nullptr && entry->thread == batch.thread && entry->launched == state &&
         entry->result == 0 && record::is_communication(entry->call);
}

// The first operation that the ring may still have.
std::uint64_t oldest_of(const Batch& batch) {
  const std::uint64_t head = record::load_relaxed(writer().box().header.operations);
  return std::max(batch.first, head > kOperations ? head - kOperations : 0);
}

// An announced call gets a new slot; a deferred call keeps its own.
std::uint64_t slot_of(const OperationEntry& entry, std::uint64_t state) {
  return state == 0 ? launch_slot(entry.communicator, entry.call, count_of(entry)) : entry.slot;
}

// The call has come to its end before its batch.
void leave(const Batch& batch, const OperationEntry& entry) {
  if (batch.tallies == nullptr || entry.communicator == record::kNone) return;
  --batch.tallies[entry.communicator].of(entry.call, entry.graph == record::kIntoGraph);
}

// Collectives that others have pushed out of the ring still count: they came before those that are
// left. Of messages and captured calls nothing is known, so the communicator is given up.
void settle_lost(std::uint32_t communicator, const Tally& lost, bool launched) {
  if (lost.others > 0) mark_uncertain(communicator);
  if (lost.collectives > 0) settle_lost_collectives(communicator, lost.collectives, launched);
}

bool has_lost_some(const Batch& batch) {
  return batch.tallies != nullptr && oldest_of(batch) != batch.first;
}

// REQUIRES: the turn, so that no more are lost meanwhile
[[gnu::noinline, gnu::cold]] void launch_lost(const Batch& batch) {
  for (std::uint64_t index = oldest_of(batch); index < batch.end; ++index) {
    const OperationEntry* entry = writer().find(index);
    if (belongs(entry, batch, 0)) leave(batch, *entry);
  }
  batch.communicators.for_each([&batch](std::uint32_t communicator) {
    settle_lost(communicator, batch.tallies[communicator], true);
  });
}

// Removes captured operations from the batch.
void set_captured_apart(const Batch& batch) {
  for (std::uint64_t index = oldest_of(batch); index < batch.end; ++index) {
    const OperationEntry entry = writer().operation(index);
    const bool its = entry.sequence == 2 * index + 2 && belongs(&entry, batch, 0);
    if (!its || entry.graph != record::kIntoGraph) continue;
    if (go_into_graph(index, batch.first)) leave(batch, entry);
  }
}

void launch_from(const Batch& batch, std::uint64_t state) {
  std::uint64_t positions[record::kStreams];  // for streams in the batch
  {
    const Turn turn;
    const std::uint64_t number = writer().next_launch();
    batch.streams.for_each(
        [&](std::uint32_t stream) { positions[stream] = hand_out(turn, stream); });
    if (state == 0 && has_lost_some(batch)) [[unlikely]]
      launch_lost(batch);
    for (std::uint64_t index = oldest_of(batch); index < batch.end; ++index) {
      const OperationEntry* entry = writer().find(index);
      if (!belongs(entry, batch, state)) continue;
      const bool on_stream = entry->graph == record::kNoGraph && entry->stream != record::kNone;
      writer().launch(index, {.called = batch.called,
                              .slot = slot_of(*entry, state),
                              .position = on_stream ? positions[entry->stream] : 0,
                              .launched = number});
    }
    batch.streams.for_each([&](std::uint32_t stream) {
      note_order(stream);
      show_enqueued(turn, stream, positions[stream]);
    });
  }
  batch.streams.for_each(mark_completed);
}

enum class Use : std::uint8_t { free, filling, waiting };
struct Deferred {
  std::atomic<Use> use = Use::free;
  std::uint64_t number = 0;  // from 1
  Batch batch;
  ThreadState::Placing placing;  // of the call
};
Deferred g_batches[32];
constinit std::atomic<std::uint64_t> g_noted = 0;

bool is_captured(const Batch& batch) {
  bool any = false;
  batch.streams.for_each([&](std::uint32_t stream) {
    any = any || recorder::is_captured(stream_handle(stream), stream_device(stream));
  });
  return any;
}

}  // namespace

void launch(const Batch& batch) {
  if (!has_begun_recording()) return;  // in a child that was forked during the call
  if (any_capture()) [[unlikely]]
    set_captured_apart(batch);
  launch_from(batch, 0);
}

void leave_streams_without_work(Batch& batch) {
  if (oldest_of(batch) != batch.first) return;
  batch.streams = {};
  for (std::uint64_t index = batch.first; index < batch.end; ++index) {
    const OperationEntry* entry = writer().find(index);
    if (!belongs(entry, batch, 0) || entry->graph == record::kIntoGraph) continue;
    if (entry->stream != record::kNone) batch.streams.set(entry->stream);
  }
}

void drop(const Batch& batch, std::uint8_t result) {
  if (!has_begun_recording()) return;
  for (std::uint64_t index = oldest_of(batch); index < batch.end; ++index) {
    const OperationEntry entry = writer().operation(index);
    const bool its = entry.sequence == 2 * index + 2 && belongs(&entry, batch, 0);
    if (its && take_back(index, result)) leave(batch, entry);
  }
  if (batch.tallies == nullptr) return;
  batch.communicators.for_each([&batch](std::uint32_t communicator) {
    settle_lost(communicator, batch.tallies[communicator], false);
  });
}

void launch_later(const Batch& batch) {
  if (!has_begun_recording()) return;
  if (any_capture()) set_captured_apart(batch);
  Deferred* place = nullptr;
  for (Deferred& deferred : g_batches) {
    Use use = Use::free;
    if (!deferred.use.compare_exchange_strong(use, Use::filling)) continue;
    place = &deferred;
    break;
  }
  {
    const Turn turn;
    if (has_lost_some(batch)) launch_lost(batch);
    for (std::uint64_t index = oldest_of(batch); index < batch.end; ++index) {
      const OperationEntry* entry = writer().find(index);
      if (!belongs(entry, batch, 0)) continue;
      writer().launch(
          index,
          {.called = batch.called, .slot = slot_of(*entry, 0), .launched = record::kDeferred});
      // No one would report its launch, so it must hold up nothing.
      if (place == nullptr) writer().set_result(index, record::kDropped);
    }
  }
  if (place == nullptr) return;
  place->batch = batch;
  place->batch.tallies = nullptr;  // the group's next calls use them
  place->placing = this_thread().placing;
  place->number = 1 + g_noted.fetch_add(1);
  ++g_deferred;
  place->use.store(Use::waiting, std::memory_order_release);
}

std::uint64_t deferrals_noted() { return g_noted.load(); }

void launch_deferred_now(std::uint32_t communicator, std::uint64_t noted) {
  for (Deferred& deferred : g_batches) {
    if (deferred.use.load(std::memory_order_acquire) != Use::waiting) continue;
    const Batch& batch = deferred.batch;
    // Another thread's report may be about an earlier time than this call.
    const std::uint64_t number = deferred.number;
    const bool is_later = batch.thread == this_thread().index || number <= noted;
    if (batch.communicator != communicator || !is_later || is_captured(batch)) continue;
    Use use = Use::waiting;
    if (!deferred.use.compare_exchange_strong(use, Use::filling)) continue;
    if (deferred.number != number) {  // another batch by now
      deferred.use.store(Use::waiting, std::memory_order_release);
      continue;
    }
    // What others have put on ordered streams since the call may be behind it.
    ThreadState::Placing& placing = this_thread().placing;
    const ThreadState::Placing now = std::exchange(placing, deferred.placing);
    launch_from(batch, record::kDeferred);
    placing = now;
    --g_deferred;
    deferred.use.store(Use::free, std::memory_order_release);
  }
}

}  // namespace gridlock::recorder
