// Fills buckets in the gradients' hooks, and launches them in order.
#include "scenarios/training/ddp/reducer.h"

#include <fmt/core.h>

#include <numeric>
#include <stdexcept>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"

namespace gridlock {
namespace {

// Sends rank 0's integers to all ranks through the device. A blocking read follows each broadcast.
[[gnu::noinline]] std::vector<std::int32_t> broadcast_integers(
    ProcessGroup& group, const std::vector<std::int32_t>& mine) {
  const cudaStream_t stream = group.rank().stream();
  const Buffer<std::int32_t> device(mine.size(), stream);
  std::vector<std::int32_t> all = mine;
  check(
      cudaMemcpyAsync(device.data(), mine.data(), device.bytes(), cudaMemcpyHostToDevice, stream));
  group.after_compute();
  check(ncclBroadcast(device.data(), device.data(), device.size(), ncclInt32, 0,
                      group.communicator(), group.stream()));
  group.compute_waits();
  group.rank().wait_for(stream);
  check(cudaMemcpyAsync(all.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost, stream));
  group.rank().wait_for(stream);
  return all;
}

}  // namespace

Reducer::Reducer(ProcessGroup& group, Parameters& parameters, ModelShape shape, BucketLimits limits)
    : group_(group),
      parameters_(parameters),
      shape_(shape),
      limits_(limits),
      divisor_(group.size()) {
  std::vector<int> all(kParameterCount);
  std::iota(all.rbegin(), all.rend(), 0);  // reverse registration order
  make_buckets({all});
}

void Reducer::make_buckets(const Buckets& assignment) {
  buckets_.clear();
  for (const std::vector<int>& parameters : assignment) {
    Bucket bucket;
    int size = 0;
    for (const int parameter : parameters) {
      bucket.parameters.push_back(parameter);
      bucket.offsets.push_back(size);
      size += parameters_.count(parameter);
    }
    bucket.missing = parameters.size();
    bucket.values = Buffer<float>(static_cast<std::size_t>(size), group_.rank().stream());
    buckets_.push_back(std::move(bucket));
  }
}

void Reducer::rebuild_buckets() {
  const Label label("buckets/rebuild");
  const std::vector<std::int32_t> order =
      broadcast_integers(group_, std::vector<std::int32_t>(arrival_.begin(), arrival_.end()));
  const Buckets assignment =
      assign_buckets(std::vector<int>(order.begin(), order.end()), shape_, limits_);
  std::vector<std::int32_t> sizes(kParameterCount, 0);
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    sizes[i] = static_cast<std::int32_t>(assignment[i].size());
  }
  if (broadcast_integers(group_, sizes) != sizes) {
    throw std::runtime_error("the ranks' models differ: rank 0 has other bucket sizes");
  }
  make_buckets(assignment);
  if (views_) put_views();
  rebuilt_ = true;
}

void Reducer::use_views() {
  views_ = true;
  put_views();
  parameters_.free_gradients();
}

void Reducer::put_views() {
  for (const Bucket& bucket : buckets_) {
    for (std::size_t i = 0; i < bucket.parameters.size(); ++i) {
      parameters_.put_gradient(bucket.parameters[i], bucket.values.data() + bucket.offsets[i]);
    }
  }
}

std::size_t Reducer::gradient_bytes() const {
  std::size_t bytes = parameters_.gradient_bytes();
  for (const Bucket& bucket : buckets_) bytes += bucket.values.bytes();
  return bytes;
}

void Reducer::prepare_forward() {
  if (reducing_) {
    throw std::runtime_error(fmt::format(
        "Expected to have finished reduction in the prior iteration before starting a new one: {} "
        "of {} buckets were launched. Some parameter got no gradient.",
        launched_, buckets_.size()));
  }
  if (sync_ && !rebuilt_ && arrival_.size() == kParameterCount) rebuild_buckets();
}

void Reducer::keep(int parameter) {
  if (kept_.size() == 0) {
    kept_ = Buffer<float>(static_cast<std::size_t>(parameters_.total()), group_.rank().stream());
  }
  kept_any_ = true;
  check(kernels::launch_gradient_accumulate(
      parameters_.gradient(parameter), parameters_.count(parameter), 1.0F,
      kept_.data() + parameters_.offset(parameter), group_.rank().stream()));
}

void Reducer::ready(int parameter) {
  if (!sync_) return keep(parameter);
  reducing_ = true;
  if (arrival_.size() < kParameterCount) arrival_.push_back(parameter);
  if (kept_any_) {
    check(kernels::launch_gradient_accumulate(
        kept_.data() + parameters_.offset(parameter), parameters_.count(parameter), 1.0F,
        parameters_.gradient(parameter), group_.rank().stream()));
  }
  for (Bucket& bucket : buckets_) {
    for (std::size_t i = 0; i < bucket.parameters.size(); ++i) {
      if (bucket.parameters[i] != parameter) continue;
      check(kernels::launch_gradient_pack(parameters_.gradient(parameter),
                                          parameters_.count(parameter),
                                          1.0F / static_cast<float>(divisor_), bucket.values.data(),
                                          bucket.offsets[i], group_.rank().stream()));
      --bucket.missing;
    }
  }
  while (launched_ < buckets_.size() && buckets_[launched_].missing == 0) {
    launch_bucket(launched_++);
  }
}

[[gnu::noinline]] void Reducer::launch_bucket(std::size_t index) {
  const Label label(fmt::format("gradients/bucket {}", index).c_str());
  const Buffer<float>& values = buckets_[index].values;
  group_.after_compute();
  check(ncclAllReduce(values.data(), values.data(), values.size(), ncclFloat32, ncclSum,
                      group_.communicator(), group_.stream()));
}

void Reducer::finish() {
  if (!sync_ || launched_ < buckets_.size()) return;  // the next pass finds a missing gradient
  group_.compute_waits();
  for (Bucket& bucket : buckets_) {
    for (std::size_t i = 0; i < bucket.parameters.size(); ++i) {
      if (views_) break;  // they are there already
      const int parameter = bucket.parameters[i];
      check(kernels::launch_gradient_unpack(
          bucket.values.data(), bucket.offsets[i], parameters_.count(parameter), 1.0F,
          parameters_.gradient(parameter), group_.rank().stream()));
    }
    bucket.missing = bucket.parameters.size();
  }
  if (kept_any_) {
    check(kernels::launch_fill(kept_.data(), parameters_.total(), 0.0F, group_.rank().stream()));
    kept_any_ = false;
  }
  launched_ = 0;
  reducing_ = false;
}

void Reducer::shadow() {
  for (std::size_t index = 0; index < buckets_.size(); ++index) {
    const Buffer<float>& values = buckets_[index].values;
    check(kernels::launch_fill(values.data(), static_cast<std::int64_t>(values.size()), 0.0F,
                               group_.rank().stream()));
    launch_bucket(index);
  }
  group_.compute_waits();
}

}  // namespace gridlock
