// Sends and receives. They match in order per pair of ranks and direction. All messages of a unit
// make progress together. The receiver copies, either from the sender's memory or, if the message
// fits, from the buffer that the sender filled.
#include <cstring>

#include "sim/cuda/interface/arena.h"
#include "sim/nccl/collectives/unit.h"

namespace sim::nccl {

void Unit::start_messages() {
  for (const Call& call : calls_) {
    if (!call.message) continue;
    Communicator& c = *communicator_;
    const std::uint64_t number =
        call.sends ? c.outgoing[call.root].next++ : c.next_receive[call.root]++;
    transfers_.push_back({.call = &call, .number = number, .staging = {}});
  }
  messages_done_ = transfers_.empty();
}

bool Unit::advance_messages() {
  if (messages_done_) return true;
  bool done = true;
  for (Transfer& transfer : transfers_) {
    if (transfer.done) continue;
    transfer.call->sends ? advance_send(transfer) : advance_receive(transfer);
    done = done && transfer.done;
  }
  messages_done_ = done;
  return done;
}

void Unit::advance_send(Transfer& transfer) {
  Communicator& c = *communicator_;
  const Call& call = *transfer.call;
  Channel& channel = c.segment().channel(c.rank(), call.root);
  const std::uint64_t taken = channel.taken.load();
  if (transfer.published) {
    transfer.done = taken > transfer.number;
    return;
  }
  if (channel.sent.load() != transfer.number || transfer.number - taken >= kMessages) return;

  auto& outgoing = c.outgoing[call.root];
  while (!outgoing.entries.empty() && outgoing.entries.front().number < taken) {
    outgoing.staged -= outgoing.entries.front().bytes;
    outgoing.entries.pop_front();
  }
  // A message that fits into the empty buffer waits until receivers of earlier ones make room.
  if (call.bytes <= buffer_bytes() && outgoing.staged + call.bytes > buffer_bytes()) return;
  const void* source = call.send;
  if (outgoing.staged + call.bytes <= buffer_bytes()) {
    Staging staging = make_staging(call.bytes);
    if (staging != nullptr) {
      if (call.bytes > 0) std::memcpy(staging.get(), call.send, call.bytes);
      source = staging.get();
      outgoing.staged += call.bytes;
      outgoing.entries.push_back({transfer.number, call.bytes, std::move(staging)});
      transfer.done = true;  // early: the program may reuse its memory
    }
  }
  const Exposed exposed(source, call.bytes, true);
  transfer.staging = exposed.staging();
  channel.messages[transfer.number % kMessages] = {call.bytes, exposed.offset()};
  transfer.published = true;
  channel.sent.store(transfer.number + 1);
  ring_for(c.segment().bell(call.root), kMessage);
}

void Unit::advance_receive(Transfer& transfer) {
  Communicator& c = *communicator_;
  const Call& call = *transfer.call;
  Channel& channel = c.segment().channel(call.root, c.rank());
  if (channel.taken.load() != transfer.number || channel.sent.load() <= transfer.number) return;
  const Message& message = channel.messages[transfer.number % kMessages];
  if (message.bytes != call.bytes) return;  // never completes, as on a GPU
  if (call.bytes > 0)
    std::memcpy(call.receive, c.memory_of(call.root) + message.offset, call.bytes);
  transfer.done = true;
  channel.taken.store(transfer.number + 1);
  ring_for(c.segment().bell(call.root), kMessage);
}

}  // namespace sim::nccl
