// Maps arenas of other processes and remembers them.
#include "sim/nccl/members/peer_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "sim/cuda/interface/arena.h"
#include "sim/nccl/members/process.h"

namespace sim::nccl {
namespace {

struct Mappings {
  std::mutex mutex;
  std::map<std::pair<std::int64_t, std::uint64_t>, const std::byte*> bases;
};

Mappings& mappings() {
  static Mappings* const kept = new Mappings;  // never destroyed: streams may outlive main
  return *kept;
}

}  // namespace

const std::byte* peer_memory(const Member& member) {
  if (member.pid == getpid()) return arena().base;
  Mappings& all = mappings();
  const std::lock_guard lock(all.mutex);
  const auto known = all.bases.find({member.pid, member.start});
  if (known != all.bases.end()) return known->second;
  const int descriptor = open_of(member.pid, static_cast<int>(member.arena), false);
  if (descriptor < 0) return nullptr;
  void* base =
      mmap(nullptr, member.arena_bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  ::close(descriptor);
  if (base == MAP_FAILED) return nullptr;
  const auto* bytes = static_cast<const std::byte*>(base);
  all.bases.emplace(std::pair{member.pid, member.start}, bytes);
  return bytes;
}

}  // namespace sim::nccl
