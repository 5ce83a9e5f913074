// ncclGetUniqueId, ncclCommInit*, ncclCommSplit, ncclCommShrink.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/cuda/interface/runtime.h"
#include "sim/nccl/api/export.h"
#include "sim/nccl/api/handle.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/collectives/group.h"
#include "sim/nccl/members/init.h"
#include "sim/nccl/members/split.h"

namespace sim::nccl {
namespace {

ncclResult_t init(ncclComm_t* handle, int ranks, const ncclUniqueId& id, int rank, int device,
                  const ncclConfig_t* config, const char* call) {
  if (const ncclResult_t given = require(handle, call, "comm"); given != ncclSuccess) return given;
  *handle = nullptr;
  if (ranks < 1 || ranks > kMaxRanks || rank < 0 || rank >= ranks) {
    return fail(ncclInvalidArgument, "%s: rank %d of %d ranks (at most %d) is out of range", call,
                rank, ranks, kMaxRanks);
  }
  Identity identity{.rank = rank, .ranks = ranks, .device = device};
  const ncclResult_t read = read_config(config, {}, &identity);
  if (read != ncclSuccess) return read;
  auto communicator = std::make_shared<Communicator>(identity);
  *handle = make_handle(communicator);
  return submit({communicator, [communicator, id] {
                   SegmentId segment{};
                   const ncclResult_t found = resolve(id, *communicator, &segment);
                   return found != ncclSuccess ? found : join(*communicator, segment);
                 }});
}

// A communicator made from `parent` by a split or a shrink.
ncclResult_t derive(const char* call, ncclComm_t parent, ncclComm_t* handle,
                    const ncclConfig_t* config, bool may_be_broken,
                    std::shared_ptr<Communicator>* communicator, Identity* identity) {
  const ncclResult_t found = find(parent, call, communicator);
  if (found != ncclSuccess) return found;
  const ncclResult_t state = (*communicator)->state();
  if (state == ncclInProgress) return refuse_in_progress(call);
  if (!(*communicator)->ready()) {
    return fail(ncclInvalidUsage, "%s: the communicator is not ready", call);
  }
  if (state != ncclSuccess && !may_be_broken) {
    return fail(state, "%s: the communicator has failed before", call);
  }
  if (const ncclResult_t given = require(handle, call, "newcomm"); given != ncclSuccess) {
    return given;
  }
  *handle = nullptr;
  *identity = (*communicator)->identity();
  return read_config(config, (*communicator)->identity(), identity);
}

// Runs `making`, a job of the parent that makes `child` (null if this rank gets none). The handle
// is delivered when the job ends, even if the child failed.
ncclResult_t submit_child(const std::shared_ptr<Communicator>& parent,
                          const std::shared_ptr<Communicator>& child, ncclComm_t* handle,
                          Job making) {
  making.owner = parent;
  making.work = [parent, child, handle, make = std::move(making.work)] {
    if (child == nullptr) return make();
    parent->begin_child(child);
    const ncclResult_t result = make();
    child->set_state(result);
    parent->end_child(child, [&] { std::atomic_ref(*handle).store(make_handle(child)); });
    return result;
  };
  const ncclResult_t submitted = note(submit(std::move(making)));
  // NCCL 2.28, src/init.cc: while the job is in progress, these calls return ncclSuccess, not
  // ncclInProgress.
  return submitted == ncclInProgress ? ncclSuccess : submitted;
}

}  // namespace
}  // namespace sim::nccl

using namespace sim::nccl;

ncclResult_t pncclGetUniqueId(ncclUniqueId* id) {
  if (const ncclResult_t given = require(id, "ncclGetUniqueId", "uniqueId"); given != ncclSuccess) {
    return given;
  }
  return make_unique_id(id);
}
SIM_NCCL_EXPORT(ncclGetUniqueId);

ncclResult_t pncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  return note(
      init(comm, ranks, id, rank, sim::runtime::current_device(), nullptr, "ncclCommInitRank"));
}
SIM_NCCL_EXPORT(ncclCommInitRank);

ncclResult_t pncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                     ncclConfig_t* config) {
  return note(init(comm, ranks, id, rank, sim::runtime::current_device(), config,
                   "ncclCommInitRankConfig"));
}
SIM_NCCL_EXPORT(ncclCommInitRankConfig);

ncclResult_t pncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank, int count,
                                       ncclUniqueId* ids, ncclConfig_t* config) {
  if (count < 1 || ids == nullptr) {
    return note(fail(ncclInvalidArgument, "ncclCommInitRankScalable: give at least one unique id"));
  }
  // All ids lead to the same communicator, so the first one is enough.
  return note(init(comm, ranks, ids[0], rank, sim::runtime::current_device(), config,
                   "ncclCommInitRankScalable"));
}
SIM_NCCL_EXPORT(ncclCommInitRankScalable);

ncclResult_t pncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
  constexpr const char* kCall = "ncclCommInitAll";
  if (const ncclResult_t given = require(comms, kCall, "comm"); given != ncclSuccess) return given;
  const int available = sim::runtime::device_count();
  std::vector<int> chosen;
  chosen.reserve(static_cast<std::size_t>(std::max(count, 0)));
  for (int i = 0; i < count; ++i) chosen.push_back(devices == nullptr ? i : devices[i]);
  for (const int device : chosen) {
    if (device < 0 || device >= available) {
      return fail(ncclInvalidArgument, "%s: there is no device %d", kCall, device);
    }
    if (std::count(chosen.begin(), chosen.end(), device) > 1) {
      return fail(ncclInvalidUsage, "%s: device %d is listed twice", kCall, device);
    }
  }
  if (count < 1) return fail(ncclInvalidArgument, "%s: %d devices", kCall, count);
  SegmentId segment{};
  if (const ncclResult_t made = make_segment(&segment); made != ncclSuccess) return made;
  begin_group();
  for (int i = 0; i < count; ++i) {
    note(init(&comms[i], count, pack(segment), i, chosen[static_cast<std::size_t>(i)], nullptr,
              kCall));
  }
  return end_group(false);
}
SIM_NCCL_EXPORT(ncclCommInitAll);

ncclResult_t pncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* newcomm,
                            ncclConfig_t* config) {
  std::shared_ptr<Communicator> parent;
  Identity identity;
  const ncclResult_t checked =
      derive("ncclCommSplit", comm, newcomm, config, false, &parent, &identity);
  if (checked != ncclSuccess) return note(checked);
  if (color < 0 && color != NCCL_SPLIT_NOCOLOR) {
    return note(fail(ncclInvalidArgument, "ncclCommSplit: colour %d is negative", color));
  }
  std::shared_ptr<Communicator> child;
  if (color != NCCL_SPLIT_NOCOLOR) child = std::make_shared<Communicator>(identity);
  // All ranks must count splits alike, so a split whose group is refused does not count.
  const auto wish = std::make_shared<SplitWish>(SplitWish{.color = color, .key = key});
  return submit_child(parent, child, newcomm,
                      {.work = [parent, child, wish] { return split(*parent, *wish, child.get()); },
                       .prepare = [parent, wish] { wish->number = take_split_number(*parent); }});
}
SIM_NCCL_EXPORT(ncclCommSplit);

ncclResult_t pncclCommShrink(ncclComm_t comm, int* excluded, int count, ncclComm_t* newcomm,
                             ncclConfig_t* config, int flags) {
  std::shared_ptr<Communicator> parent;
  Identity identity;
  const ncclResult_t checked =
      derive("ncclCommShrink", comm, newcomm, config, true, &parent, &identity);
  if (checked != ncclSuccess) return note(checked);
  if (excluded == nullptr || count < 1) {
    return note(fail(ncclInvalidArgument, "ncclCommShrink: name at least one rank to exclude"));
  }
  std::vector<int> gone(excluded, excluded + count);
  std::sort(gone.begin(), gone.end());
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  if (gone.front() < 0 || gone.back() >= parent->ranks() ||
      std::binary_search(gone.begin(), gone.end(), parent->rank())) {
    return note(fail(ncclInvalidArgument,
                     "ncclCommShrink: the excluded ranks must be ranks of the communicator other "
                     "than the caller"));
  }
  const bool broken = parent->state() != ncclSuccess || parent->revoked();
  if ((flags & NCCL_SHRINK_ABORT) != 0) {
    parent->stop();
  } else if (broken && !parent->revoked()) {
    return note(fail(parent->state(),
                     "ncclCommShrink: the communicator has failed; use "
                     "NCCL_SHRINK_ABORT"));
  }
  auto child = std::make_shared<Communicator>(identity);
  return submit_child(parent, child, newcomm,
                      {.work = [parent, child, gone] { return shrink(*parent, gone, *child); }});
}
SIM_NCCL_EXPORT(ncclCommShrink);
