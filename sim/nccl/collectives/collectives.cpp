// The collectives. Ranks read each other's memory directly, and none writes into another's. A rank
// waits for exactly the ranks whose data it needs, and stays while others read its memory. The data
// of small collectives in which every rank needs every other travels inside the segment, which
// takes one wait instead of three.
#include <algorithm>
#include <cstring>

#include "sim/nccl/collectives/slot.h"

namespace sim::nccl {
namespace {

void copy(void* to, const void* from, std::size_t bytes) {
  if (to != from && bytes > 0) std::memmove(to, from, bytes);
}

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

std::byte* at(void* base, std::size_t offset) { return static_cast<std::byte*>(base) + offset; }

const std::byte* at(const void* base, std::size_t offset) {
  return static_cast<const std::byte*>(base) + offset;
}

// The part of a buffer that one rank handles. The cuts lie at multiples of 16 bytes, so that ranks
// agree on them even if their data types differ.
struct Chunk {
  std::size_t begin;
  std::size_t bytes;
};

Chunk chunk_of(int rank, int ranks, std::size_t bytes) {
  constexpr std::size_t kUnit = 16;
  const std::size_t units = (bytes + kUnit - 1) / kUnit;
  const auto cut = [&](int r) { return std::min(bytes, units * index(r) / index(ranks) * kUnit); };
  const std::size_t begin = cut(rank);
  return {begin, cut(rank + 1) - begin};
}

// Reduces what lies `offset` bytes into every rank's input.
void reduce_inputs(const Slot& slot, std::byte* output, std::size_t offset, std::size_t bytes) {
  std::vector<Input> inputs;
  inputs.reserve(index(slot.ranks()));
  for (int rank = 0; rank < slot.ranks(); ++rank) inputs.push_back(slot.input_of(rank, offset));
  reduce(output, inputs, bytes, slot.call().type, slot.call().op);
}

void all_reduce_inline(Slot& slot) {
  const Call& call = slot.call();
  slot.write_inline(call.send, call.bytes);
  slot.publish(0, 0);
  slot.wait_for_all();
  std::vector<Input> inputs;
  inputs.reserve(index(slot.ranks()));
  for (int rank = 0; rank < slot.ranks(); ++rank) inputs.push_back(slot.inline_input_of(rank));
  reduce(static_cast<std::byte*>(call.receive), inputs, call.bytes, call.type, call.op);
  slot.finish();
}

// Rank r reduces chunk r, then all ranks collect the chunks. Only rank r reads chunk r of any
// input, so working in place is safe.
void all_reduce(Slot& slot) {
  const Call& call = slot.call();
  if (slot.fits_inline(call.bytes)) return all_reduce_inline(slot);
  const Exposed input(call.send, call.bytes, true);
  const Exposed output(call.receive, call.bytes, false);
  slot.publish(input.offset(), output.offset());
  slot.wait_for_all();
  const Chunk mine = chunk_of(slot.rank(), slot.ranks(), call.bytes);
  reduce_inputs(slot, output.data() + mine.begin, mine.begin, mine.bytes);
  slot.meet_half_way();
  for (int rank = 0; rank < slot.ranks(); ++rank) {
    const Chunk chunk = chunk_of(rank, slot.ranks(), call.bytes);
    copy(at(call.receive, chunk.begin), slot.receive_of(rank) + chunk.begin, chunk.bytes);
  }
  slot.finish_together();
}

void reduce_scatter(Slot& slot) {
  const Call& call = slot.call();
  const std::size_t all = call.bytes * index(slot.ranks());
  const Exposed input(call.send, all, true);
  slot.publish(input.offset(), 0);
  slot.wait_for_all();
  reduce_inputs(slot, static_cast<std::byte*>(call.receive), call.bytes * index(slot.rank()),
                call.bytes);
  slot.finish_together();
}

void all_gather(Slot& slot) {
  const Call& call = slot.call();
  const bool small = slot.fits_inline(call.bytes);
  const Exposed input(small ? nullptr : call.send, call.bytes, true);
  if (small) slot.write_inline(call.send, call.bytes);
  slot.publish(input.offset(), 0);
  slot.wait_for_all();
  for (int rank = 0; rank < slot.ranks(); ++rank) {
    copy(at(call.receive, call.bytes * index(rank)),
         small ? slot.inline_data(rank) : slot.send_of(rank), call.bytes);
  }
  small ? slot.finish() : slot.finish_together();
}

void all_to_all(Slot& slot) {
  const Call& call = slot.call();
  const Exposed input(call.send, call.bytes * index(slot.ranks()), true);
  slot.publish(input.offset(), 0);
  slot.wait_for_all();
  for (int rank = 0; rank < slot.ranks(); ++rank) {
    copy(at(call.receive, call.bytes * index(rank)),
         slot.send_of(rank) + call.bytes * index(slot.rank()), call.bytes);
  }
  slot.finish_together();
}

// The sending side of a rooted collective. `bytes` is the total that it sends.
//   Returns  whether the data was buffered, so that this rank need not wait for the others
bool publish_early(Slot& slot, std::size_t bytes) {
  if (const void* staged = slot.stage(slot.call().send, bytes); staged != nullptr) {
    slot.publish(Exposed(staged, bytes, false).offset(), 0);
    return true;
  }
  return false;
}

// Broadcast and scatter: the root gives each rank its part.
void from_root(Slot& slot, std::size_t stride) {
  const Call& call = slot.call();
  if (!slot.is_root()) {
    slot.publish(0, 0);
    slot.wait_for_root();
    copy(call.receive, slot.send_of(call.root) + stride * index(slot.rank()), call.bytes);
    return slot.finish();
  }
  const std::size_t bytes = stride == 0 ? call.bytes : stride * index(slot.ranks());
  if (publish_early(slot, bytes)) {
    copy(call.receive, at(call.send, stride * index(slot.rank())), call.bytes);
    return slot.finish();
  }
  const Exposed input(call.send, bytes, true);
  slot.publish(input.offset(), 0);
  slot.wait_for_others();
  copy(call.receive, at(call.send, stride * index(slot.rank())), call.bytes);
  slot.finish();
}

// A leaf of reduce or gather gives its part to the root.
void to_root(Slot& slot) {
  const Call& call = slot.call();
  if (publish_early(slot, call.bytes)) return slot.finish();
  const Exposed input(call.send, call.bytes, true);
  slot.publish(input.offset(), 0);
  slot.wait_until_root_finished();
  slot.finish();
}

void reduce_to_root(Slot& slot) {
  const Call& call = slot.call();
  if (!slot.is_root()) return to_root(slot);
  const Exposed input(call.send, call.bytes, true);
  slot.publish(input.offset(), 0);
  slot.wait_for_all();
  reduce_inputs(slot, static_cast<std::byte*>(call.receive), 0, call.bytes);
  slot.finish();
}

void gather(Slot& slot) {
  const Call& call = slot.call();
  if (!slot.is_root()) return to_root(slot);
  const Exposed input(call.send, call.bytes, true);
  slot.publish(input.offset(), 0);
  slot.wait_for_all();
  for (int rank = 0; rank < slot.ranks(); ++rank) {
    copy(at(call.receive, call.bytes * index(rank)), slot.send_of(rank), call.bytes);
  }
  slot.finish();
}

}  // namespace

void run_collective(Unit& unit, const Call& call) {
  Slot slot(unit, call);
  switch (call.kind) {
    case Kind::kAllReduce:
      return all_reduce(slot);
    case Kind::kBroadcast:
      return from_root(slot, 0);
    case Kind::kScatter:
      return from_root(slot, call.bytes);
    case Kind::kReduce:
      return reduce_to_root(slot);
    case Kind::kGather:
      return gather(slot);
    case Kind::kAllGather:
      return all_gather(slot);
    case Kind::kReduceScatter:
      return reduce_scatter(slot);
    case Kind::kAllToAll:
      return all_to_all(slot);
  }
}

}  // namespace sim::nccl
