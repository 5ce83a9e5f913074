// Random points of the matrix collective x protocol x algorithm x type x operation x size x ranks,
// each value checked. The launcher's environment chooses the transport. Each draw has a
// communicator of its own, a split of the world's, for which NCCL reads NCCL_PROTO and NCCL_ALGO
// anew.
//   random_draws SEED FIRST NUMBER [DEVICES of each process]
// A wrong draw is described on stderr. `random_draws SEED INDEX 1` repeats one.
#include <memory>

#include "tests/real_nccl/programs/part.h"

namespace {

void set_or_unset(const char* name, const std::string& value) {
  if (value.empty()) {
    unsetenv(name);
  } else {
    setenv(name, value.c_str(), 1);
  }
}

// Runs a draw on this process's devices; returns whether all values are right.
bool is_right(const Draw& d, const std::vector<Device>& devices, std::size_t& values) {
  set_or_unset("NCCL_PROTO", d.protocol);
  set_or_unset("NCCL_ALGO", d.algorithm);
  std::vector<ncclComm_t> communicators(devices.size());
  std::vector<int> places(devices.size(), -1);
  check(ncclGroupStart());
  for (std::size_t at = 0; at < devices.size(); ++at) {
    const auto place = std::find(d.ranks.begin(), d.ranks.end(), devices[at].rank);
    if (place != d.ranks.end()) places[at] = static_cast<int>(place - d.ranks.begin());
    check(ncclCommSplit(devices[at].world, places[at] < 0 ? NCCL_SPLIT_NOCOLOR : 0,
                        std::max(places[at], 0), &communicators[at], nullptr));
  }
  check(ncclGroupEnd());
  std::size_t wrong = 0;
  {
    std::vector<std::unique_ptr<Part>> parts;
    for (std::size_t at = 0; at < devices.size(); ++at) {
      if (places[at] >= 0)
        parts.push_back(std::make_unique<Part>(d, places[at], devices[at], communicators[at]));
    }
    for (int call = 0; call < d.calls; ++call) {
      for (const auto& part : parts) part->fill(call);
      check(ncclGroupStart());
      for (const auto& part : parts) part->enqueue();
      check(ncclGroupEnd());
      for (const auto& part : parts) values += part->compare(call, wrong);
    }
  }
  check(ncclGroupStart());
  for (std::size_t at = 0; at < devices.size(); ++at) {
    if (places[at] >= 0) check(ncclCommDestroy(communicators[at]));
  }
  check(ncclGroupEnd());
  return wrong == 0;
}

std::vector<Device> open_world(const Ranks& ranks, int each) {
  std::vector<Device> devices(static_cast<std::size_t>(each));
  check(ncclGroupStart());
  for (int at = 0; at < each; ++at) {
    Device& device = devices[static_cast<std::size_t>(at)];
    device.number = number_from("LOCAL_RANK") * each + at;
    device.rank = ranks.rank * each + at;
    check(cudaSetDevice(device.number));
    check(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    check(ncclCommInitRank(&device.world, ranks.size * each, ranks.id, device.rank));
  }
  check(ncclGroupEnd());
  return devices;
}

void close_world(const std::vector<Device>& devices) {
  check(ncclGroupStart());
  for (const Device& device : devices) check(ncclCommDestroy(device.world));
  check(ncclGroupEnd());
  for (const Device& device : devices) {
    check(cudaSetDevice(device.number));
    check(cudaStreamDestroy(device.stream));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("random_draws: give a seed, the first draw and the number of draws\n", stderr);
    return 2;
  }
  const std::uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t number = std::strtoull(argv[3], nullptr, 10);
  Ranks ranks;
  const std::vector<Device> devices = open_world(ranks, argc > 4 ? std::atoi(argv[4]) : 1);
  const int world = ranks.size * static_cast<int>(devices.size());
  int version = 0;
  check(ncclGetVersion(&version));
  std::uint64_t wrong = 0;
  std::size_t values = 0;
  for (std::uint64_t index = first; index < first + number; ++index) {
    const Draw drawn = draw(seed, index, world, version);
    if (ranks.rank == 0 && std::getenv("DRAWS_TALK") != nullptr) {
      std::fprintf(stderr, "draw %llu: %s\n", static_cast<unsigned long long>(index),
                   words(drawn).c_str());
    }
    if (is_right(drawn, devices, values)) continue;
    ++wrong;
    std::fprintf(stderr, "rank %d: draw %llu is wrong: %s\n", ranks.rank,
                 static_cast<unsigned long long>(index), words(drawn).c_str());
  }
  close_world(devices);
  std::printf("rank %d of %d: %llu draws, %zu values, %llu draws wrong\n", ranks.rank, ranks.size,
              static_cast<unsigned long long>(number), values,
              static_cast<unsigned long long>(wrong));
  return wrong == 0 ? 0 : 1;
}
