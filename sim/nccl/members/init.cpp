// Joining, and the check that no two ranks share a device.
#include "sim/nccl/members/init.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/cuda/interface/arena.h"
#include "sim/cuda/interface/runtime.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/members/peer_memory.h"
#include "sim/nccl/members/process.h"

namespace sim::nccl {
namespace {

std::uint64_t host_id() {
  std::array<char, 256> name{};
  const char* text = std::getenv("NCCL_HOSTID");
  if (text == nullptr && gethostname(name.data(), name.size() - 1) == 0) text = name.data();
  return text == nullptr ? 0 : std::hash<std::string_view>{}(text);
}

void describe_self(Member& me, int device) {
  const Process process = this_process();
  me.pid = process.pid;
  me.start = process.start;
  me.arena = arena().fd;
  me.arena_bytes = arena().size;
  me.device = device;
  me.host = host_id();
  const std::string bus = runtime::pci_bus_id(device);
  bus.copy(me.bus_id.data(), me.bus_id.size() - 1);
}

// Ranks that share a device get the error; the others find the communicator broken.
ncclResult_t check_devices(const Communicator& c) {
  std::map<std::pair<std::uint64_t, std::string>, int> owners;
  ncclResult_t result = ncclSuccess;
  for (int rank = 0; rank < c.ranks(); ++rank) {
    const Member& member = c.segment().member(rank);
    const auto [owner, fresh] = owners.emplace(std::pair{member.host, member.bus_id.data()}, rank);
    if (fresh) continue;
    const bool mine = rank == c.rank() || member.bus_id == c.self().bus_id;
    if (mine) {
      return fail(ncclInvalidUsage,
                  "Duplicate GPU detected: rank %d and rank %d both on CUDA device %s; call "
                  "cudaSetDevice(local rank) before the init",
                  owner->second, rank, member.bus_id.data());
    }
    result = ncclRemoteError;
  }
  if (result == ncclSuccess) return result;
  return fail(result, "other ranks of the communicator share a device");
}

}  // namespace

ncclResult_t join(Communicator& c, const SegmentId& id) {
  if (!c.take_buffers()) {
    return fail(ncclUnhandledCudaError,
                "Cuda failure 'out of memory': device %d has none left for "
                "the buffers of rank %d",
                c.device(), c.rank());
  }
  std::shared_ptr<Segment> segment;
  const ncclResult_t opened = Segment::open(id, c.ranks(), &segment);
  if (opened != ncclSuccess) return opened;
  c.attach(segment);
  Header& header = segment->header();
  const auto ranks = static_cast<std::uint32_t>(c.ranks());

  std::uint32_t known = 0;
  if (!header.ranks.compare_exchange_strong(known, ranks) && known != ranks) {
    warn("rank %d expects %u ranks, others %u: the communicator never forms", c.rank(), ranks,
         known);
    header.poisoned.store(1);
    // A segment of another size has its members elsewhere, so this rank must not look at them.
    return c.wait_on_host([] { return false; }, false);
  }
  Member& me = c.self();
  MemberState absent = MemberState::kAbsent;
  if (!me.state.compare_exchange_strong(absent, MemberState::kArriving)) {
    warn("rank %d of %u has come twice: the communicator never forms", c.rank(), ranks);
    header.poisoned.store(1);
    return c.wait_on_host([] { return false; }, false);
  }
  describe_self(me, c.device());
  me.state.store(MemberState::kPresent);
  if (header.present.fetch_add(1) + 1 == ranks) segment->ring_host();

  const ncclResult_t came = c.wait_on_host(
      [&] { return header.present.load() == ranks && header.poisoned.load() == 0; }, true);
  if (came == ncclRemoteError) {
    return fail(came, "rank %d: a member died before the communicator was formed", c.rank());
  }
  if (came != ncclSuccess) return came;
  forget_segment(id);
  if (const ncclResult_t checked = check_devices(c); checked != ncclSuccess) return checked;

  std::vector<const std::byte*> memory;
  for (int rank = 0; rank < c.ranks(); ++rank) {
    memory.push_back(peer_memory(segment->member(rank)));
    if (memory.back() == nullptr) {
      return fail(
          ncclRemoteError,
          "cannot map the device memory of rank %d (pid %lld): it is gone, or this process has "
          "no address space left",
          rank, static_cast<long long>(segment->member(rank).pid));
    }
  }
  // No rank leaves, and perhaps ends, before all others have mapped its memory.
  if (header.mapped.fetch_add(1) + 1 == ranks) segment->ring_host();
  const ncclResult_t mapped = c.wait_on_host([&] { return header.mapped.load() == ranks; }, true);
  if (mapped != ncclSuccess) return mapped;
  c.set_memory(std::move(memory));
  info("communicator '%s': rank %d of %d on device %d, ready", c.name().c_str(), c.rank(),
       c.ranks(), c.device());
  return ncclSuccess;
}

}  // namespace sim::nccl
