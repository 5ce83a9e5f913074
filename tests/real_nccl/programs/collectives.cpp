// Every collective, in several sizes, each value checked. The launcher's environment chooses NCCL's
// protocol, algorithm and transport. Arguments: sizes.
#include "tests/real_nccl/programs/ranks.h"

namespace {

using Values = std::vector<float>;

// The input of rank `rank` at `at`: small integers, whose sums are exact.
float brought(int rank, std::size_t at) {
  return static_cast<float>((at * 7 + 3) % 11 + 1) * static_cast<float>(rank + 1);
}

Values values_of(int rank, std::size_t count, std::size_t first = 0) {
  Values values(count);
  for (std::size_t at = 0; at < count; ++at) values[at] = brought(rank, first + at);
  return values;
}

Values sums(int ranks, std::size_t count, std::size_t first = 0) {
  Values all(count);
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::size_t at = 0; at < count; ++at) all[at] += brought(rank, first + at);
  }
  return all;
}

class Round {
 public:
  Round(Ranks& ranks, std::size_t count)
      : r_(ranks), count_(count), parts_(count * static_cast<std::size_t>(ranks.size)) {}

  void run() {
    all_reduce();
    broadcast();
    reduce();
    all_gather();
    reduce_scatter();
    ring_of_messages();
  }

 private:
  void compare(OnDevice<float>& got, const Values& wanted, const char* what) {
    check(cudaStreamSynchronize(r_.stream));
    const Values values = got.values();
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      if (values[at] == wanted[at]) continue;
      expect(false, std::string(what) + " of " + std::to_string(count_) + ": value " +
                        std::to_string(at) + " is " + std::to_string(values[at]) + ", not " +
                        std::to_string(wanted[at]));
    }
  }

  void all_reduce() {
    OnDevice<float> data(values_of(r_.rank, count_));
    check(ncclAllReduce(data.data(), data.data(), count_, ncclFloat32, ncclSum, r_.all, r_.stream));
    compare(data, sums(r_.size, count_), "all-reduce");
  }
  void broadcast() {
    OnDevice<float> data(values_of(r_.rank, count_));
    check(ncclBroadcast(data.data(), data.data(), count_, ncclFloat32, r_.size - 1, r_.all,
                        r_.stream));
    compare(data, values_of(r_.size - 1, count_), "broadcast");
  }
  void reduce() {
    OnDevice<float> data(values_of(r_.rank, count_));
    OnDevice<float> result(Values(count_, -1));
    check(
        ncclReduce(data.data(), result.data(), count_, ncclFloat32, ncclSum, 0, r_.all, r_.stream));
    compare(result, r_.rank == 0 ? sums(r_.size, count_) : Values(count_, -1), "reduce");
  }
  void all_gather() {
    OnDevice<float> data(values_of(r_.rank, count_));
    OnDevice<float> result(Values(parts_, -1));
    check(ncclAllGather(data.data(), result.data(), count_, ncclFloat32, r_.all, r_.stream));
    Values wanted;
    for (int rank = 0; rank < r_.size; ++rank) {
      const Values part = values_of(rank, count_);
      wanted.insert(wanted.end(), part.begin(), part.end());
    }
    compare(result, wanted, "all-gather");
  }
  void reduce_scatter() {
    OnDevice<float> data(values_of(r_.rank, parts_));
    OnDevice<float> result(Values(count_, -1));
    check(ncclReduceScatter(data.data(), result.data(), count_, ncclFloat32, ncclSum, r_.all,
                            r_.stream));
    compare(result, sums(r_.size, count_, count_ * static_cast<std::size_t>(r_.rank)),
            "reduce-scatter");
  }
  void ring_of_messages() {
    const int next = (r_.rank + 1) % r_.size;
    const int before = (r_.rank + r_.size - 1) % r_.size;
    OnDevice<float> data(values_of(r_.rank, count_));
    OnDevice<float> result(Values(count_, -1));
    check(ncclGroupStart());
    check(ncclSend(data.data(), count_, ncclFloat32, next, r_.all, r_.stream));
    check(ncclRecv(result.data(), count_, ncclFloat32, before, r_.all, r_.stream));
    check(ncclGroupEnd());
    compare(result, values_of(before, count_), "messages");
  }

  Ranks& r_;
  std::size_t count_;
  std::size_t parts_;
};

}  // namespace

int main(int argc, char** argv) {
  Ranks ranks;
  ranks.open();
  for (int at = 1; at < argc; ++at) Round(ranks, std::strtoull(argv[at], nullptr, 10)).run();
  ranks.close();
  if (ranks.rank == 0) std::puts("all values are right");
}
