// Collects calls per thread, and issues them per communicator.
#include "sim/nccl/collectives/group.h"

#include <algorithm>
#include <vector>

#include "sim/cuda/interface/runtime.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/collectives/connect.h"
#include "sim/nccl/collectives/copy.h"

namespace sim::nccl {
namespace {

// The calls of a group on one communicator, in issue order, and the streams that they named.
struct Batch {
  std::shared_ptr<Communicator> communicator;
  std::vector<Call> calls;
  std::vector<cudaStream_t> streams;
};

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Job> jobs;
  std::vector<Batch> batches;

  Batch& batch(const std::shared_ptr<Communicator>& communicator) {
    const auto found = std::find_if(batches.begin(), batches.end(), [&](const Batch& batch) {
      return batch.communicator == communicator;
    });
    return found != batches.end() ? *found : batches.emplace_back(Batch{communicator, {}, {}});
  }
};

thread_local Group group;

// Makes the communicator's device current, because stream 0 is that of the current device.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    changed_ = device != previous_;
    if (changed_) runtime::set_current_device(device);
  }
  ~OnDevice() {
    if (changed_) runtime::set_current_device(previous_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const int previous_ = runtime::current_device();
  bool changed_ = false;
};

ncclResult_t cuda_failed(cudaError_t error) {
  return fail(ncclUnhandledCudaError, "cannot enqueue on the stream: %s",
              runtime::error_string(error));
}

ncclResult_t enqueue_batch(Batch& batch) {
  Communicator& c = *batch.communicator;
  const OnDevice on(c.device());
  const std::lock_guard lock(c.issue_mutex());
  const cudaStream_t first = batch.streams.front();
  for (const cudaStream_t stream : batch.streams) {
    if (device_of(stream) != c.device()) return cuda_failed(cudaErrorInvalidResourceHandle);
    if (stream == first) continue;
    if (const cudaError_t error = order(stream, first); error != cudaSuccess) {
      return cuda_failed(error);
    }
  }
  std::unique_ptr<Work> unit;
  if (is_captured(first)) {
    unit = std::make_unique<CapturedUnit>(batch.communicator, std::move(batch.calls));
  } else {
    unit = std::make_unique<Unit>(batch.communicator, std::move(batch.calls));
  }
  if (const cudaError_t error = enqueue(first, std::move(unit)); error != cudaSuccess) {
    return cuda_failed(error);
  }
  for (const cudaStream_t stream : batch.streams) {
    if (stream == first) continue;
    if (const cudaError_t error = order(first, stream); error != cudaSuccess) {
      return cuda_failed(error);
    }
  }
  return ncclSuccess;
}

// A message to oneself needs its other half in the same group.
ncclResult_t check_self_messages(const Batch& batch) {
  int balance = 0;
  for (const Call& call : batch.calls) {
    if (call.message && call.root == batch.communicator->rank()) balance += call.sends ? 1 : -1;
  }
  if (balance == 0) return ncclSuccess;
  return fail(ncclInvalidUsage, "trying to %s self without a matching %s in the same group",
              balance > 0 ? "send to" : "receive from", balance > 0 ? "receive" : "send");
}

// NCCL drops what a rank sends to itself from where it receives it.
void drop_in_place_messages(Batch& batch) {
  const auto to_self = [&](const Call& call, bool sends) {
    return call.message && call.sends == sends && call.root == batch.communicator->rank();
  };
  const auto next = [&](std::size_t from, bool sends) {
    while (from < batch.calls.size() && !to_self(batch.calls[from], sends)) ++from;
    return from;
  };
  std::vector<bool> dropped(batch.calls.size(), false);
  std::size_t receive = next(0, false);
  for (std::size_t send = next(0, true); send < batch.calls.size(); send = next(send + 1, true)) {
    dropped[send] = dropped[receive] = batch.calls[send].send == batch.calls[receive].receive;
    receive = next(receive + 1, false);
  }
  std::vector<Call> left;
  for (std::size_t index = 0; index < batch.calls.size(); ++index) {
    if (!dropped[index]) left.push_back(batch.calls[index]);
  }
  batch.calls = std::move(left);
}

ncclResult_t issue(std::vector<Batch>& batches) {
  for (const Batch& batch : batches) {
    if (const ncclResult_t checked = check_self_messages(batch); checked != ncclSuccess) {
      return checked;
    }
  }
  for (Batch& batch : batches) drop_in_place_messages(batch);
  std::erase_if(batches, [](const Batch& batch) { return batch.calls.empty(); });
  if (lazy_connect()) {
    for (const Batch& batch : batches) announce(*batch.communicator, batch.calls);
    for (const Batch& batch : batches) {
      const ncclResult_t met = meet(*batch.communicator, batch.calls);
      if (met != ncclSuccess) return met;
    }
  }
  bool all_blocking = true;
  for (Batch& batch : batches) {
    if (const ncclResult_t issued = enqueue_batch(batch); issued != ncclSuccess) return issued;
    all_blocking = all_blocking && batch.communicator->blocking();
  }
  // NCCL enqueues a nonblocking communicator's calls on a thread of its own (ncclGroupEndInternal).
  // Ours are enqueued by now, so its state is ncclSuccess already.
  return all_blocking ? ncclSuccess : ncclInProgress;
}

}  // namespace

ncclResult_t submit(Job job) {
  if (group.depth > 0) {
    group.jobs.push_back(std::move(job));
    return ncclSuccess;
  }
  return run_jobs({std::move(job)});
}

ncclResult_t submit(const std::shared_ptr<Communicator>& communicator, const Call& call,
                    cudaStream_t stream) {
  if (is_copy(*communicator, call)) return enqueue_copy(call, stream);
  if (group.depth == 0) {
    std::vector<Batch> one;
    one.push_back({communicator, {call}, {stream}});
    return issue(one);
  }
  Batch& batch = group.batch(communicator);
  batch.calls.push_back(call);
  if (std::find(batch.streams.begin(), batch.streams.end(), stream) == batch.streams.end()) {
    batch.streams.push_back(stream);
  }
  return ncclSuccess;
}

ncclResult_t note(ncclResult_t result) {
  const bool is_error = result != ncclSuccess && result != ncclInProgress;
  if (group.depth > 0 && group.error == ncclSuccess && is_error) group.error = result;
  return result;
}

void begin_group() { ++group.depth; }

ncclResult_t end_group(bool drop) {
  if (group.depth == 0) {
    return fail(ncclInvalidUsage, "ncclGroupEnd: there is no ncclGroupStart before it");
  }
  if (--group.depth > 0) return ncclSuccess;
  // A job may use its own groups, so this thread's group must be empty before jobs run.
  Group ended;
  std::swap(ended, group);
  const ncclResult_t refused = drop ? ncclInvalidUsage : ended.error;
  if (refused != ncclSuccess) give_up(ended.jobs, refused);
  if (drop) return ncclSuccess;
  if (refused != ncclSuccess) return refused;
  const ncclResult_t result = run_jobs(ended.jobs);
  if (result != ncclSuccess && result != ncclInProgress) return result;
  const ncclResult_t issued = issue(ended.batches);
  return issued != ncclSuccess ? issued : result;
}

}  // namespace sim::nccl
