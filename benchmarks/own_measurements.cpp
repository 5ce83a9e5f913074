// Rounds of pairs, and copies.
#include "benchmarks/own_measurements.h"

#include <algorithm>
#include <chrono>

#include "scenarios/runtime/check.h"

namespace gridlock {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void exchange(World& world, std::size_t count, int peer) {
  check(ncclGroupStart());
  check(ncclSend(world.send.data(), count, ncclFloat32, peer, world.communicator, world.stream));
  check(ncclRecv(world.receive.data(), count, ncclFloat32, peer, world.communicator, world.stream));
  check(ncclGroupEnd());
}

double pair_seconds(World& world, std::size_t count, int repetitions) {
  double best = 0;
  for (int round = 0; round < rounds(world.n); ++round) {
    world.rank.rendezvous().exchange("");
    const int peer = partner(world.n, world.me, round);
    if (peer < 0) continue;
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < repetitions; ++i) exchange(world, count, peer);
    check(cudaStreamSynchronize(world.stream));
    const double mine = seconds_since(begin) / repetitions;
    best = best == 0 ? mine : std::min(best, mine);
  }
  return best;
}

std::string verify_all(World& world, std::size_t count, int from) {
  const std::vector<float> numbers = download(world.receive.data(), count, world);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float expected = value(from, i);
    if (numbers[i] != expected) return mismatch(numbers[i], expected, i, world);
  }
  return "";
}

void upload_own(World& world, std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = value(world.me, i);
  upload(numbers, world.send.data(), world);
}

std::string verify_pair(World& world, std::size_t count) {
  upload_own(world, count);
  std::string wrong;
  for (int round = 0; round < rounds(world.n); ++round) {
    const int peer = partner(world.n, world.me, round);
    if (peer < 0) continue;
    exchange(world, count, peer);
    const std::string now = verify_all(world, count, peer);
    if (wrong.empty()) wrong = now;
  }
  return wrong;
}

void copy(World& world, std::size_t count) {
  check(cudaMemcpyAsync(world.receive.data(), world.send.data(), count * sizeof(float),
                        cudaMemcpyDeviceToDevice, world.stream));
}

double copy_seconds(World& world, std::size_t count, int repetitions) {
  world.rank.rendezvous().exchange("");
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) copy(world, count);
  check(cudaStreamSynchronize(world.stream));
  return seconds_since(begin) / repetitions;
}

std::string verify_copy(World& world, std::size_t count) {
  upload_own(world, count);
  copy(world, count);
  return verify_all(world, count, world.me);
}

const OwnMeasurement kOwnMeasurements[]{
    {"pair", 1, pair_seconds, verify_pair},
    {"copy", 2, copy_seconds, verify_copy},
};

}  // namespace

std::span<const OwnMeasurement> own_measurements() { return kOwnMeasurements; }

int rounds(int n) {
  if (n < 2) return 0;
  if (n == 2) return 1;
  return n % 2 == 0 ? 2 : 3;
}

// The edge from rank i to the next one belongs to round i modulo 2. In a ring of odd length the
// last edge would meet the first one in round 0, so it gets a round of its own.
int partner(int n, int me, int round) {
  const auto round_of = [n](int edge) { return n % 2 != 0 && edge == n - 1 ? 2 : edge % 2; };
  const int before = (me + n - 1) % n;
  if (round_of(me) == round) return (me + 1) % n;
  return round_of(before) == round ? before : -1;
}

}  // namespace gridlock
