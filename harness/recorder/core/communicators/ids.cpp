// Hashes.
#include "harness/recorder/core/communicators/ids.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {
namespace {

// Key -> how often it was counted: of ids that may come again, and of those that should not.
FixedMap<1024> g_counts;
FixedMap<1024> g_counts_of_inits;
std::atomic<bool> g_given_up = false;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value;
  hash *= 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

std::uint64_t never_zero(std::uint64_t hash) { return hash == 0 || ~hash == 0 ? 1 : hash; }

// `hash`, and how often it was counted under `key` before.
CountedId counted(FixedMap<1024>& counts, std::uint64_t hash, std::uint64_t key) {
  key = never_zero(key);
  std::uint64_t before = 0;
  bool is_counted = true;
  if (auto* count = counts.find(key)) {
    before = count->fetch_add(1);
  } else {
    is_counted = counts.set(key, 1);
  }
  return {.id = never_zero(mix(hash, before)), .count = key, .uncertain = !is_counted};
}

// Whether NCCL made the id of NCCL_COMM_ID. Only the process that asked for the id must have the
// variable, so the others go by what the id begins with. Before 2.22 NCCL drew that at random for
// each id.
//   Source  NCCL 2.28, src/bootstrap.cc (bootstrapGetUniqueId), and sim/nccl/members/bootstrap.cpp
bool is_of_address(const ncclUniqueId& id) {
  constexpr std::uint64_t kNcclMagic = 0x0280'0280'0280'0280;
  constexpr std::uint64_t kSimulatedMagic = 0x6464'615f'6d6d'6f63;
  std::uint64_t magic = 0;
  std::memcpy(&magic, id.internal, sizeof magic);
  return magic == kNcclMagic || magic == kSimulatedMagic;
}

}  // namespace

CountedId id_of_init(const ncclUniqueId* ids, int id_count, int size, int rank) {
  // With NCCL_COMM_ID all unique ids are equal, and the size tells communicators of different
  // members apart. A distinct unique id is enough for that. Members that disagree about the size
  // then belong to one communicator, which can never form.
  const bool ids_are_equal = id_count > 0 && is_of_address(ids[0]);
  std::uint64_t hash = mix(0x6e63636c, ids_are_equal ? static_cast<unsigned>(size) : 0U);
  for (int i = 0; i < id_count; ++i) {
    for (const char byte : ids[i].internal) hash = mix(hash, static_cast<unsigned char>(byte));
  }
  CountedId id = counted(ids_are_equal ? g_counts : g_counts_of_inits, hash,
                         mix(hash, static_cast<unsigned>(rank) + 1U));
  // A program that came after another one in its rank does not know what that one counted.
  id.uncertain = ids_are_equal && (id.uncertain || g_given_up || is_successor());
  return id;
}

std::uint64_t id_of_init_all() {
  static std::atomic<std::uint64_t> calls = 0;
  const auto process = static_cast<std::uint64_t>(getpid());
  return never_zero(mix(mix(process, writer().box().header.start_time), ++calls));
}

std::uint64_t id_of_split(std::uint32_t parent, int color) {
  const Child child = next_child(parent);
  return never_zero(mix(mix(child.parent, child.number), static_cast<unsigned>(color)));
}

CountedId id_of_shrink(std::uint32_t parent, const int* excluded, int count) {
  std::uint64_t ranks = 0;
  for (int i = 0; i < count; ++i) ranks += mix(0x736872, static_cast<unsigned>(excluded[i]));
  const std::uint64_t hash = mix(communicator_id(parent), ranks);
  return counted(g_counts, hash, mix(hash, static_cast<unsigned>(membership(parent).rank) + 1U));
}

void take_back_id(std::uint64_t count) {
  for (auto* counts : {&g_counts, &g_counts_of_inits}) {
    if (auto* found = counts->find(count)) found->fetch_sub(1);
  }
}

void doubt_later_ids() { g_given_up = true; }

}  // namespace gridlock::recorder
