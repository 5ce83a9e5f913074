// What a scenario file declares: variants side by side, each with the verdict that it must get.
// A scenario is one file, one program, one definition of `gridlock::scenario`;
// docs/add_a_scenario.md.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace gridlock {

class Rank;

enum class Role { broken, fix, remedy, control };
enum class Outcome { completes, deadlock, stall, fails, crashes, corrupts };
enum class Cause { none, missing_rank, rank_exited, mismatch, cycle, host_stuck, init, self };
enum class Backend { sim, cuda };

// Where ranks wait. The names are those of the black box.
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
  group_end,
};

// What the verdict must say. Read as a sentence:
//   deadlock(Cause::rank_exited).culprits({3}).waiting_in("gradients/bucket 0").on("world")
// Whatever is not said is not compared.
class Expectation {
 public:
  struct Wait {
    std::string_view label;
    Operation operation = Operation::any;
    std::string_view communicator = "";
    std::optional<int> slot = std::nullopt;  // collectives called on the communicator before it
    std::string_view caller = "";            // the function that made the call
    std::vector<int> ranks = {};             // empty: not compared
  };

  Expectation(Outcome outcome, Cause cause) : outcomes_{outcome}, cause_(cause) {}

  Expectation& culprits(std::vector<int> ranks) { return culprits_ = std::move(ranks), *this; }
  // Accepted besides, on one back end: where NCCL leaves the end open, as for mismatched calls.
  Expectation& or_on(Backend backend, Outcome outcome) {
    if (backend == Backend::cuda) also_on_cuda_.push_back(outcome);
    if (backend == Backend::sim) also_on_sim_.push_back(outcome);
    return *this;
  }

  // Begins the description of one group of waiting ranks; the calls below refine it.
  Expectation& waiting_in(std::string_view label) {
    waits_.push_back(Wait{.label = label});
    return *this;
  }
  Expectation& operation(Operation which) { return waits_.back().operation = which, *this; }
  Expectation& on(std::string_view communicator) {
    return waits_.back().communicator = communicator, *this;
  }
  Expectation& at_slot(int slot) { return waits_.back().slot = slot, *this; }
  Expectation& called_from(std::string_view function) {
    return waits_.back().caller = function, *this;
  }
  Expectation& by(std::vector<int> ranks) { return waits_.back().ranks = std::move(ranks), *this; }

  std::vector<Outcome> outcomes(Backend backend) const {
    std::vector<Outcome> all = outcomes_;
    const auto& also = backend == Backend::cuda ? also_on_cuda_ : also_on_sim_;
    all.insert(all.end(), also.begin(), also.end());
    return all;
  }
  Cause cause() const { return cause_; }
  const std::vector<int>& culprits() const { return culprits_; }
  const std::vector<Wait>& waits() const { return waits_; }

 private:
  std::vector<Outcome> outcomes_;
  std::vector<Outcome> also_on_cuda_;
  std::vector<Outcome> also_on_sim_;
  Cause cause_;
  std::vector<int> culprits_;
  std::vector<Wait> waits_;
};

inline Expectation completes() { return {Outcome::completes, Cause::none}; }
inline Expectation deadlock(Cause cause) { return {Outcome::deadlock, cause}; }
inline Expectation stall(Cause cause) { return {Outcome::stall, cause}; }
inline Expectation corrupts(Cause cause = Cause::none) { return {Outcome::corrupts, cause}; }
inline Expectation crashes() { return {Outcome::crashes, Cause::none}; }
inline Expectation fails() { return {Outcome::fails, Cause::none}; }

// Sets of ranks, for expectations that hold for any number of them.
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
// Who is to blame where these ranks differ from all others: they, if they are fewer; on a tie there
// is no telling, and everyone is named.
inline std::vector<int> fewer_or_all(int ranks, const std::vector<int>& odd_ones) {
  return 2 * static_cast<int>(odd_ones.size()) < ranks ? odd_ones : all_ranks(ranks);
}

// A list that a constant can hold.
template <typename T, std::size_t Capacity>
class FixedList {
 public:
  constexpr FixedList() = default;
  constexpr FixedList(std::initializer_list<T> items) {
    if (items.size() > Capacity) throw std::length_error("a scenario declares too many entries");
    for (const T& item : items) items_[size_++] = item;
  }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }
  constexpr std::size_t size() const { return size_; }

 private:
  std::array<T, Capacity> items_{};
  std::size_t size_ = 0;
};

struct Variant {
  std::string_view name;
  Role role = Role::control;
  std::string_view summary;
  void (*run)(Rank& rank) = nullptr;
  Expectation (*expect)(int ranks) = nullptr;
  int min_ranks = 2;
  int max_ranks = 16;
  std::string_view needs = "";      // why not fewer or more ranks, where that is not plain
  std::string_view needs_gpu = "";  // why not on the simulation; empty: it runs there too
};

struct Scenario {
  std::string_view summary;
  FixedList<std::string_view, 12> claims;
  int ranks = 4;  // when none are asked for
  FixedList<Variant, 16> variants;
};

extern constinit const Scenario scenario;  // defined by the scenario's file
extern const std::string_view lesson;      // the comment at its head, put in by the build

}  // namespace gridlock
