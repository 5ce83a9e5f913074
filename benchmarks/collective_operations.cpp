// The table, and the check of a result.
#include "benchmarks/collective_operations.h"

#include <cstring>

#include "scenarios/runtime/check.h"

namespace gridlock {
namespace {

float sum(int n, std::size_t i) {
  float all = 0;
  for (int rank = 0; rank < n; ++rank) all += value(rank, i);
  return all;
}

std::size_t all_of(const Operation& operation) { return operation.count; }
double share_of_others(double n) { return (n - 1) / n; }
double once(double /*n*/) { return 1; }

const Collective kCollectives[]{
    {"all_reduce", false, true, [](double n) { return 2 * (n - 1) / n; },
     [](const World& world, const Operation& one) {
       check(ncclAllReduce(one.send, one.receive, one.count, ncclFloat32, ncclSum,
                           world.communicator, world.stream));
     },
     [](int n, int, std::size_t, std::size_t i) { return sum(n, i); }, all_of},
    {"all_gather", true, true, share_of_others,
     [](const World& world, const Operation& one) {
       const bool in_place = one.send == one.receive;
       check(ncclAllGather(in_place ? one.send + at(world.me) * one.block : one.send, one.receive,
                           one.block, ncclFloat32, world.communicator, world.stream));
     },
     [](int, int, std::size_t block, std::size_t i) {
       return value(static_cast<int>(i / block), i);
     },
     all_of},
    {"reduce_scatter", true, true, share_of_others,
     [](const World& world, const Operation& one) {
       const bool in_place = one.send == one.receive;
       check(ncclReduceScatter(one.send,
                               in_place ? one.receive + at(world.me) * one.block : one.receive,
                               one.block, ncclFloat32, ncclSum, world.communicator, world.stream));
     },
     [](int n, int me, std::size_t block, std::size_t i) { return sum(n, at(me) * block + i); },
     [](const Operation& operation) { return operation.block; }},
    {"broadcast", false, true, once,
     [](const World& world, const Operation& one) {
       check(ncclBroadcast(one.send, one.receive, one.count, ncclFloat32, 0, world.communicator,
                           world.stream));
     },
     [](int, int, std::size_t, std::size_t i) { return value(0, i); }, all_of},
    {"send_recv", false, false, once,  // to the right, from the left
     [](const World& world, const Operation& one) {
       check(ncclGroupStart());
       check(ncclSend(one.send, one.count, ncclFloat32, (world.me + 1) % world.n,
                      world.communicator, world.stream));
       check(ncclRecv(one.receive, one.count, ncclFloat32, (world.me + world.n - 1) % world.n,
                      world.communicator, world.stream));
       check(ncclGroupEnd());
     },
     [](int n, int me, std::size_t, std::size_t i) { return value((me + n - 1) % n, i); }, all_of},
    {"all_to_all", true, false, share_of_others,
     [](const World& world, const Operation& one) {
       check(ncclGroupStart());
       for (int peer = 0; peer < world.n; ++peer) {
         check(ncclSend(one.send + at(peer) * one.block, one.block, ncclFloat32, peer,
                        world.communicator, world.stream));
         check(ncclRecv(one.receive + at(peer) * one.block, one.block, ncclFloat32, peer,
                        world.communicator, world.stream));
       }
       check(ncclGroupEnd());
     },
     [](int, int me, std::size_t block, std::size_t i) {
       return value(static_cast<int>(i / block), at(me) * block + i % block);
     },
     all_of},
};

}  // namespace

std::span<const Collective> collectives() { return kCollectives; }

float value(int rank, std::size_t i) {
  constexpr std::size_t kPeriod = 13;
  return static_cast<float>((3 * static_cast<std::size_t>(rank) + i) % kPeriod);
}

void upload(const std::vector<float>& from, float* to, const World& world) {
  check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice,
                        world.stream));
  check(cudaStreamSynchronize(world.stream));
}

std::vector<float> download(const float* from, std::size_t count, const World& world) {
  std::vector<float> numbers(count);
  check(cudaMemcpyAsync(numbers.data(), from, count * sizeof(float), cudaMemcpyDeviceToHost,
                        world.stream));
  check(cudaStreamSynchronize(world.stream));
  return numbers;
}

std::string mismatch(float number, float expected, std::size_t i, const World& world) {
  return "rank " + std::to_string(world.me) + " has " + std::to_string(number) + " at " +
         std::to_string(i) + " instead of " + std::to_string(expected);
}

std::string verify(const Collective& collective, const Operation& one, const World& world) {
  std::vector<float> numbers(one.count);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = value(world.me, i);
  if (std::strcmp(collective.name, "all_gather") == 0) {
    // The block at this rank's place, even if it is sent from the front.
    for (std::size_t i = 0; i < one.block && one.send != one.receive; ++i) {
      numbers[i] = value(world.me, at(world.me) * one.block + i);
    }
  }
  upload(numbers, one.send, world);
  collective.enqueue(world, one);
  const bool scatters_in_place =
      one.send == one.receive && std::strcmp(collective.name, "reduce_scatter") == 0;
  const float* result = one.receive + (scatters_in_place ? at(world.me) * one.block : 0);
  numbers = download(result, collective.results(one), world);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float expected = collective.expected(world.n, world.me, one.block, i);
    if (numbers[i] != expected) return mismatch(numbers[i], expected, i, world);
  }
  return "";
}

}  // namespace gridlock
