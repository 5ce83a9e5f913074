// What a scenario file declares: variants side by side, each with the verdict that it must get. A
// scenario is one file, one program, one definition of `gridlock::scenario`: see
// docs/add_a_scenario.md.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string_view>

#include "scenarios/verdicts.h"

namespace gridlock {

class Rank;

enum class Role { broken, fix, remedy, control };
using enum Role;  // for the tables of variants

// A list that a constexpr object can hold.
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

// An environment variable, of all ranks or of the last one only.
struct Setting {
  std::string_view name;
  std::string_view value;
  bool only_last = false;
};

struct Variant {
  std::string_view name;
  Role role = Role::control;
  std::string_view summary;
  void (*run)(Rank& rank) = nullptr;
  Expectation (*expect)(int ranks) = all_well;
  int min_ranks = 2;
  int max_ranks = 16;
  std::string_view needs = "";          // why not fewer or more ranks, if that is not obvious
  std::string_view needs_gpu = "";      // why not on the simulation; empty: runs there too
  std::string_view control = "";        // that a fix's step time is compared with; empty: the first
  FixedList<Setting, 2> settings = {};  // of the ranks' environment, set before anything else
  std::string_view needs_simulation = "";  // why not on a GPU; empty: runs there too
  int hosts = 1;                           // simulated ones, joined by a network (docs/nodes.md)
  std::string_view needs_real_nccl = "";   // why not on our own NCCL; empty: runs there too

  // The same variant with one more property: Variant{…}.against("same_order").
  constexpr Variant only_on_gpu(std::string_view because) const {
    Variant other = *this;
    other.needs_gpu = because;
    return other;
  }
  // For variants that launch a kernel of the program's own CUDA code: the simulation has it only if
  // clang compiled it (cmake/GridlockInterpreted.cmake).
  constexpr Variant with_device_code() const {
#ifdef GRIDLOCK_DEVICE_CODE
    return *this;
#else
    return only_on_gpu("Gridlock was built without clang 19, so the simulation has no device code");
#endif
  }
  constexpr Variant against(std::string_view which) const {
    Variant other = *this;
    other.control = which;
    return other;
  }
  constexpr Variant with(FixedList<Setting, 2> environment) const {
    Variant other = *this;
    other.settings = environment;
    return other;
  }
  // The ranks are on this many simulated hosts, which only the real NCCL joins by their network.
  constexpr Variant on_hosts(int count) const {
    Variant other = *this;
    other.hosts = other.min_ranks = count;
    other.needs_simulation = "no program can break a network";
    return other;
  }
  // For variants about what NCCL itself does, and our own does not.
  constexpr Variant only_on_real_nccl(std::string_view because) const {
    Variant other = *this;
    other.needs_real_nccl = because;
    return other;
  }
  // The last rank's device has this fault (GRIDLOCK_SIM_FAULT), which only the simulation can
  // cause.
  constexpr Variant with_fault(std::string_view fault) const {
    Variant other = with({{"GRIDLOCK_SIM_FAULT", fault, true}});
    other.needs_simulation = "no program can break a GPU";
    return other;
  }
};

struct Scenario {
  std::string_view summary;
  FixedList<std::string_view, 12> claims = {};
  int ranks = 4;                   // the default
  std::string_view launcher = "";  // "mpiexec": the ranks use MPI; empty: any
  std::span<const Variant> variants;
};

extern constinit const Scenario scenario;  // defined by the scenario's file
// Put in by the build: the comment at the head of the scenario's file, the file's chapter and name
// ("batches/uneven_batches.cpp"), and all of its text.
extern const std::string_view lesson;
extern const std::string_view source_file;
extern const std::string_view source_text;

}  // namespace gridlock
