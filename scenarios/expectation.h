// The words in which a scenario declares the verdict that it must get.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gridlock {

enum class Outcome { completes, deadlock, stall, fails, crashes, corrupts };
enum class Cause {
  none,
  missing_rank,
  rank_exited,
  mismatch,
  cycle,
  host_stuck,
  device_stuck,
  network,
  init,
  self
};
// What a scenario runs on: the simulated CUDA with our own NCCL, the same with the real NCCL built
// from its source, or GPUs.
enum class Backend { sim, source, cuda };
constexpr std::array kBackends{Backend::sim, Backend::source, Backend::cuda};
constexpr bool is_real_nccl(Backend backend) { return backend != Backend::sim; }

// Calls that wait. The names are those of the black box.
enum class Operation {
  any,
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  send,
  recv,
  host_function,
  device_synchronize,
  stream_synchronize,
  event_synchronize,
  memcpy_sync,
  device_malloc,
  device_free,
  comm_init,
  comm_destroy,
  comm_abort,
  group_end,
  mpi_barrier,
  mpi_bcast,
  mpi_recv,
  mpi_send,
  mpi_ssend,
  mpi_allreduce,
};

// Where ranks wait. A field that is left out is not compared.
struct Place {
  std::string_view label;
  Operation operation = Operation::any;
  std::string_view communicator = "";
  std::optional<int> slot = std::nullopt;  // collectives called on the communicator before it
  std::string_view caller = "";            // the function that made the call
};

// Gives `call` the slot of `other`, unless it has one.
inline Place in_slot_of(const Place& other, Place call) {
  if (!call.slot) call.slot = other.slot;
  return call;
}

// The same call, one collective later on its communicator.
inline Place one_call_later(Place call) {
  if (call.slot) ++*call.slot;
  return call;
}

// Read as a sentence:
//   deadlock(Cause::rank_exited).culprits({3}).waiting({0, 1, 2}, {.label = "gradients/bucket 0"})
// Anything not said is not compared.
class Expectation {
 public:
  struct Wait {
    std::vector<int> ranks;  // empty: not compared
    Place place;
  };

  Expectation(Outcome outcome, Cause cause) : outcomes_{outcome}, cause_(cause) {}

  Expectation& culprits(std::vector<int> ranks) { return culprits_ = std::move(ranks), *this; }
  Expectation& waiting(std::vector<int> ranks, const Place& where) {
    waits_.push_back({std::move(ranks), where});
    return *this;
  }
  // Also accepted, on one back end.
  Expectation& or_on(Backend backend, Outcome outcome) {
    if (outcome != outcomes_.front()) on(backend).also.push_back(outcome);
    return *this;
  }
  // Also accepted from the real NCCL. A comment names the place in its source that decides.
  Expectation& or_on_real_nccl(Outcome outcome) {
    return or_on(Backend::source, outcome).or_on(Backend::cuda, outcome);
  }
  // Also accepted everywhere.
  Expectation& or_else(Outcome outcome) {
    return or_on(Backend::sim, outcome).or_on_real_nccl(outcome);
  }
  // Compares only the outcome on the real NCCL: who waits where depends on how it moves the data.
  Expectation& loosely_on_real_nccl() {
    on(Backend::source).loose = on(Backend::cuda).loose = true;
    return *this;
  }
  // NCCL does not define the outcome, as for calls that do not match. They may get stuck at once,
  // or pass with wrong numbers and leave a rank one message short later.
  Expectation& undefined_on_real_nccl() {
    for (const Outcome outcome :
         {Outcome::deadlock, Outcome::stall, Outcome::fails, Outcome::crashes, Outcome::corrupts}) {
      or_on_real_nccl(outcome);
    }
    return loosely_on_real_nccl();
  }

  // Instead of this, from a real NCCL before `version` (NCCL_VERSION(2, 26, 2)), which has a fault
  // of its own. The oldest comes first. Our own NCCL counts as the newest.
  Expectation& before(int version, Expectation older) {
    older.end_ = version;
    older_.push_back(std::move(older));
    return *this;
  }

  std::vector<Outcome> outcomes(Backend backend) const {
    std::vector<Outcome> all = outcomes_;
    const auto& also = on(backend).also;
    all.insert(all.end(), also.begin(), also.end());
    return all;
  }
  bool only_outcome(Backend backend) const { return on(backend).loose; }
  Cause cause() const { return cause_; }
  const std::vector<int>& culprits() const { return culprits_; }
  const std::vector<Wait>& waits() const { return waits_; }
  const std::vector<Expectation>& older() const { return older_; }
  int end() const { return end_; }  // of an older one: the first version that it does not hold for

 private:
  struct Differing {
    std::vector<Outcome> also;
    bool loose = false;
  };
  Differing& on(Backend backend) { return on_[static_cast<std::size_t>(backend)]; }
  const Differing& on(Backend backend) const { return on_[static_cast<std::size_t>(backend)]; }

  std::vector<Outcome> outcomes_;
  std::array<Differing, kBackends.size()> on_{};
  Cause cause_;
  std::vector<int> culprits_;
  std::vector<Wait> waits_;
  std::vector<Expectation> older_;
  int end_ = 0;
};

inline Expectation completes() { return {Outcome::completes, Cause::none}; }
inline Expectation deadlock(Cause cause) { return {Outcome::deadlock, cause}; }
inline Expectation stall(Cause cause) { return {Outcome::stall, cause}; }
inline Expectation corrupts(Cause cause = Cause::none) { return {Outcome::corrupts, cause}; }
inline Expectation crashes() { return {Outcome::crashes, Cause::none}; }
inline Expectation fails() { return {Outcome::fails, Cause::none}; }

// Sets of ranks, for expectations that hold for any number of ranks.
template <typename Predicate>
std::vector<int> ranks_where(int ranks, Predicate predicate) {
  std::vector<int> chosen;
  for (int rank = 0; rank < ranks; ++rank) {
    if (predicate(rank)) chosen.push_back(rank);
  }
  return chosen;
}
inline std::vector<int> all_ranks(int ranks) {
  return ranks_where(ranks, [](int) { return true; });
}
inline std::vector<int> all_but(int ranks, int one) {
  return ranks_where(ranks, [one](int rank) { return rank != one; });
}
inline std::vector<int> even_ranks(int ranks) {
  return ranks_where(ranks, [](int rank) { return rank % 2 == 0; });
}
inline std::vector<int> odd_ranks(int ranks) {
  return ranks_where(ranks, [](int rank) { return rank % 2 == 1; });
}
// The ranks to blame if these ranks differ from all others: these, if they are the minority. On a
// tie nobody can tell, so all ranks are to blame.
inline std::vector<int> fewer_or_all(int ranks, const std::vector<int>& odd_ones) {
  return 2 * static_cast<int>(odd_ones.size()) < ranks ? odd_ones : all_ranks(ranks);
}

}  // namespace gridlock
