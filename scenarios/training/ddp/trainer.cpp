// The training step, with its collectives in DDP's order.
#include "scenarios/training/ddp/trainer.h"

#include <fmt/core.h>

#include <stdexcept>

#include "kernels/updates/sgd.h"
#include "scenarios/runtime/label.h"

namespace gridlock {

Trainer::Trainer(Rank& rank, const TrainerOptions& options)
    : options_(options),
      model_(rank, options.shape,
             SyncBatchNorm(rank, options.norm == Norm::synchronized ? &world_ : nullptr,
                           options.shape.channels, options.empty_batch),
             options.positions),
      world_(rank, "world"),
      reducer_(world_, model_.parameters(), options.shape, options.buckets),
      host_loss_(1) {
  if (options.gradient_as_bucket_view) reducer_.use_views();
  verify_shapes();
  broadcast_parameters(0);
  broadcast_buffers(0);
  rank.wait_for(rank.stream());
  rank.report().begin_steps();
}

[[gnu::noinline]] void Trainer::verify_shapes() {
  const Label label("construction/verify_shapes");
  const auto ranks = static_cast<std::size_t>(world_.size());
  const std::int64_t mine = model_.parameters().total();
  const Buffer<std::int64_t> sizes(ranks, rank().stream());
  std::vector<std::int64_t> host(ranks);
  check(cudaMemcpyAsync(sizes.data() + rank().rank(), &mine, sizeof mine, cudaMemcpyHostToDevice,
                        rank().stream()));
  world_.after_compute();
  check(ncclAllGather(sizes.data() + rank().rank(), sizes.data(), 1, ncclInt64,
                      world_.communicator(), world_.stream()));
  world_.compute_waits();
  rank().wait_for(rank().stream());
  check(cudaMemcpyAsync(host.data(), sizes.data(), sizes.bytes(), cudaMemcpyDeviceToHost,
                        rank().stream()));
  rank().wait_for(rank().stream());
  for (std::size_t other = 0; other < ranks; ++other) {
    if (host[other] != mine) {
      throw std::runtime_error(fmt::format("rank {}'s model has {} parameters, rank {}'s has {}",
                                           other, host[other], rank().rank(), mine));
    }
  }
}

[[gnu::noinline]] void Trainer::broadcast_parameters(int root) {
  const Label label("construction/parameters");
  const Parameters& parameters = model_.parameters();
  world_.after_compute();
  check(ncclBroadcast(parameters.values(), parameters.values(),
                      static_cast<std::size_t>(parameters.total()), ncclFloat32, root,
                      world_.communicator(), world_.stream()));
  world_.compute_waits();
}

std::vector<Trainer::View> Trainer::buffers() {
  const auto channels = static_cast<std::size_t>(options_.shape.channels);
  std::vector<View> views{{model_.norm().running_mean(), channels},
                          {model_.norm().running_var(), channels}};
  if (options_.positions_are_buffers) {
    views.push_back({model_.positions().data(), model_.positions().size()});
  }
  return views;
}

// One broadcast of all buffers together. Its size is the buffers' present size on this rank.
[[gnu::noinline]] void Trainer::broadcast_buffers(int root) {
  if (!options_.broadcast_buffers) return;
  const Label label("buffers/broadcast");
  const cudaStream_t stream = rank().stream();
  std::size_t size = 0;
  for (const View& view : buffers()) size += view.size;
  const Buffer<float> together(size, stream);
  float* at = together.data();
  for (const View& view : buffers()) {
    check(cudaMemcpyAsync(at, view.data, view.size * sizeof(float), cudaMemcpyDeviceToDevice,
                          stream));
    at += view.size;
  }
  world_.after_compute();
  check(ncclBroadcast(together.data(), together.data(), size, ncclFloat32, root,
                      world_.communicator(), world_.stream()));
  world_.compute_waits();
  at = together.data();
  for (const View& view : buffers()) {
    check(cudaMemcpyAsync(view.data, at, view.size * sizeof(float), cudaMemcpyDeviceToDevice,
                          stream));
    at += view.size;
  }
}

// Tells the ranks that are done that this one is active. Returns the number of active ranks.
int Trainer::announce() {
  const Label label("join/active");
  return world_.reduce_on_host(1, ncclSum);
}

void Trainer::forward(const Batch& batch, const std::function<void()>& before_model) {
  if (options_.join) reducer_.set_divisor(announce());
  reducer_.prepare_forward();
  if (reducer_.sync()) {
    int root = 0;
    if (options_.join && options_.broadcast_buffers) {
      const Label label("join/authoritative_rank");
      root = world_.reduce_on_host(rank().rank(), ncclMax);
    }
    broadcast_buffers(root);
  }
  if (options_.join) {
    const Label label("join/requires_sync");
    world_.reduce_on_host(reducer_.sync() ? 1 : 0, ncclSum);
  }
  if (before_model) before_model();
  model_.forward(batch);
}

void Trainer::backward() {
  model_.backward([this](int parameter) { reducer_.ready(parameter); });
  reducer_.finish();
}

void Trainer::step() {
  const Parameters& parameters = model_.parameters();
  for (int one = 0; parameters.has_views() && one < kParameterCount; ++one) {
    check(kernels::launch_sgd(parameters.value(one), parameters.gradient(one), nullptr,
                              parameters.count(one), options_.learning_rate, 0.0F,
                              rank().stream()));
  }
  if (parameters.has_views()) return;
  check(kernels::launch_sgd(parameters.values(), parameters.gradients(), nullptr,
                            parameters.total(), options_.learning_rate, 0.0F, rank().stream()));
}

float Trainer::loss_item() {
  const Label label("loss/item");
  check(cudaMemcpyAsync(host_loss_.data(), model_.loss(), sizeof(float), cudaMemcpyDeviceToHost,
                        rank().stream()));
  rank().wait_for(rank().stream());
  return host_loss_[0];
}

float Trainer::finish_step() {
  step();
  const float loss = loss_item();
  rank().report().step_done();
  return loss;
}

float Trainer::train_on(const Batch& batch) {
  forward(batch);
  backward();
  return finish_step();
}

void Trainer::join() {
  const auto all = [this](const char* what, int mine, ncclRedOp_t operation) {
    const Label label(what);
    return world_.reduce_on_host(mine, operation);
  };
  bool is_last_joiner = true;
  while (all("join/active", 0, ncclSum) > 0) {
    is_last_joiner = false;
    reducer_.prepare_forward();
    if (options_.broadcast_buffers) {
      broadcast_buffers(all("join/authoritative_rank", -1, ncclMax));
    }
    if (all("join/requires_sync", 0, ncclSum) > 0) reducer_.shadow();
  }
  const int source = all("join/last_joiner", is_last_joiner ? rank().rank() : -1, ncclMax);
  broadcast_parameters(source);
  broadcast_buffers(source);
  rank().wait_for(rank().stream());
}

void Trainer::close() {
  rank().wait_for(rank().stream());
  world_.close();
}

}  // namespace gridlock
