// A function's static object warms the device up in its constructor, by an all-reduce. On rank 0
// the loader thread comes there first and waits for rank 1. Rank 1 waits for the call that rank 0's
// main thread makes after it has asked for the same object, and so waits until that is constructed.
// Expected: deadlock; a cycle of both, through the object's guard.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

namespace {

struct Warm {
  explicit Warm(const Two& two) {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
};

void warm_up(const Two& two) { static const Warm once(two); }

}  // namespace

int program(int, char**) {
  const Two two;
  std::thread loader;
  if (rank() == 0) {
    loader = std::thread([&] { warm_up(two); });
    pause_ms(50);
    check(cudaStreamSynchronize(two.on_second));  // from here on the ranks hang
    warm_up(two);
  }
  all_reduce(two.second, two.on_second, two.y);
  check(cudaStreamSynchronize(two.on_second));
  if (rank() == 1) warm_up(two);
  if (loader.joinable()) loader.join();
  return 0;
}
