// Ties a communicator's stream to the compute stream.
#include "scenarios/training/ddp/process_group.h"

namespace gridlock {

ProcessGroup::ProcessGroup(Rank& rank, const char* name)
    : rank_(rank),
      communicator_(open_communicator(rank, name)),
      stream_(open_stream()),
      device_value_(1, rank.stream()),
      host_value_(1) {}

void ProcessGroup::after_compute() {
  check(cudaEventRecord(before_.get(), rank_.stream()));
  check(cudaStreamWaitEvent(stream_, before_.get(), 0));
}

void ProcessGroup::compute_waits() {
  check(cudaEventRecord(behind_.get(), stream_));
  check(cudaStreamWaitEvent(rank_.stream(), behind_.get(), 0));
}

[[gnu::noinline]] std::int32_t ProcessGroup::reduce_on_host(std::int32_t mine,
                                                            ncclRedOp_t operation) {
  std::int32_t* value = device_value_.data();
  host_value_[0] = mine;
  check(cudaMemcpyAsync(value, host_value_.data(), sizeof mine, cudaMemcpyHostToDevice,
                        rank_.stream()));
  after_compute();
  check(ncclAllReduce(value, value, 1, ncclInt32, operation, communicator_, stream_));
  compute_waits();
  check(cudaMemcpyAsync(host_value_.data(), value, sizeof mine, cudaMemcpyDeviceToHost,
                        rank_.stream()));
  rank_.wait_for(rank_.stream());
  return host_value_[0];
}

}  // namespace gridlock
