// Writes zeros for unused parameters, and reduces the map of used ones.
#include "scenarios/training/ddp/unused_finder.h"

#include <algorithm>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"

namespace gridlock {

UnusedFinder::UnusedFinder(Trainer& trainer)
    : trainer_(trainer), used_(kParameterCount, trainer.rank().stream()), host_(kParameterCount) {}

void UnusedFinder::backward() {
  std::fill_n(host_.data(), kParameterCount, 1);
  for (const int parameter : trainer_.module().unreached()) {
    const Parameters& all = trainer_.module().parameters();
    check(kernels::launch_fill(all.gradient(parameter), all.count(parameter), 0,
                               trainer_.rank().stream()));
    trainer_.reducer().ready(parameter);
    host_[static_cast<std::size_t>(parameter)] = 0;
  }
  trainer_.module().backward([this](int parameter) { trainer_.reducer().ready(parameter); });
  reduce_used_map();
  trainer_.reducer().finish();
}

// A parameter that no rank has used keeps its old gradient.
[[gnu::noinline]] void UnusedFinder::reduce_used_map() {
  const Label label("gradients/used_map");
  ProcessGroup& world = trainer_.world();
  check(cudaMemcpyAsync(used_.data(), host_.data(), used_.bytes(), cudaMemcpyHostToDevice,
                        trainer_.rank().stream()));
  world.after_compute();
  check(ncclAllReduce(used_.data(), used_.data(), used_.size(), ncclInt32, ncclSum,
                      world.communicator(), world.stream()));
  world.compute_waits();
}

}  // namespace gridlock
