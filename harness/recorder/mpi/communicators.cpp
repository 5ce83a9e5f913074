// Handles, ids and membership of communicators.
#include "harness/recorder/mpi/communicators.h"

#include <algorithm>
#include <cstdlib>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/communicators/ids.h"
#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/mpi/messages.h"

namespace gridlock::recorder {
namespace {

using record::kNone;

FixedMap<1024> g_of_handle;

GRIDLOCK_LOOKUP constinit Mpi<2> g_size("PMPI_Comm_size");
GRIDLOCK_LOOKUP constinit Mpi<2> g_rank("PMPI_Comm_rank");
GRIDLOCK_LOOKUP constinit Mpi<1> g_parent("PMPI_Comm_get_parent");
GRIDLOCK_LOOKUP constinit Mpi<2> g_group("PMPI_Comm_group");
GRIDLOCK_LOOKUP constinit Mpi<1> g_free_group("PMPI_Group_free");
GRIDLOCK_LOOKUP constinit Mpi<5> g_translate("PMPI_Group_translate_ranks");

// A job has one world. Processes that MPI itself spawned have another world, and are not recorded.
constexpr std::uint64_t kWorldId = 0x6d70695f776f726c;  // "mpi_worl"

std::uint64_t key_of(Word handle) { return std::uint64_t{1} << 32U | as_handle(handle); }

int from_launcher(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? -1 : std::atoi(value);
}

// Rank in `parent` of the first member of `child`; -1: MPI cannot say.
int leader_of(Word parent, Word child) {
  for (const bool there :
       {g_group.get() != nullptr, g_free_group.get() != nullptr, g_translate.get() != nullptr}) {
    if (!there) return -1;
  }
  std::uint32_t group_of_child = mpi::kGroupNull;
  std::uint32_t group_of_parent = mpi::kGroupNull;
  const int first = 0;
  int leader = -1;
  g_group.get()(child, as_word(&group_of_child));
  g_group.get()(parent, as_word(&group_of_parent));
  g_translate.get()(group_of_child, 1, as_word(&first), group_of_parent, as_word(&leader));
  g_free_group.get()(as_word(&group_of_child));
  g_free_group.get()(as_word(&group_of_parent));
  return leader;
}

void enter_members(std::uint32_t index, Word handle) {
  int size = 0;
  int rank = 0;
  if (index == kNone || g_size.get() == nullptr || g_rank.get() == nullptr) return;
  g_size.get()(handle, as_word(&size));
  g_rank.get()(handle, as_word(&rank));
  joined(index, size, rank);
  forget_handle(handle);
  g_of_handle.set(key_of(handle), index);
}

}  // namespace

std::uint32_t mpi_communicator(Word handle) {
  const auto* found = g_of_handle.find(key_of(handle));
  return found == nullptr ? kNone : static_cast<std::uint32_t>(found->load());
}

std::uint32_t open_world() {
  const int size = from_launcher("PMI_SIZE");
  const int rank = from_launcher("PMI_RANK");
  const std::uint32_t world = open_communicator({.id = kWorldId,
                                                 .call = record::Call::comm_init,
                                                 .size = std::max(size, 0),
                                                 .rank = std::max(rank, 0),
                                                 .mpi = true});
  rename(world, "MPI_COMM_WORLD");
  return world;
}

void opened_world(std::uint32_t world, int result) {
  if (world == kNone) return;
  std::uint32_t spawner = mpi::kCommNull;
  if (g_parent.get() != nullptr) g_parent.get()(as_word(&spawner));
  if (result != mpi::kSuccess || spawner != mpi::kCommNull) {
    change_state(world, record::CommunicatorState::aborted);
    if (spawner != mpi::kCommNull) stop_recording_mpi("started by another MPI program");
    return;
  }
  enter_members(world, mpi::kCommWorld);
}

void opened_child(std::uint32_t parent, Word parent_handle, Word child_handle, const char* name) {
  if (parent == kNone) return;
  const int leader = leader_of(parent_handle, child_handle);
  const std::uint32_t child = open_communicator({.id = id_of_split(parent, leader), .mpi = true});
  forget_messages(child);
  rename(child, name);
  enter_members(child, child_handle);
}

void skipped_child(std::uint32_t parent) {
  if (parent != kNone) static_cast<void>(next_child(parent));
}

void closed_communicator(std::uint32_t index, Word handle) {
  if (index == kNone) return;
  g_of_handle.remove(key_of(handle), index);
  change_state(index, record::CommunicatorState::closed);
}

void forget_handle(Word handle) { g_of_handle.remove(key_of(handle)); }

}  // namespace gridlock::recorder
