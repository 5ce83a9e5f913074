// CPython keeps the lock in the variable _PyRuntime, which it exports.
#include "harness/run/look/kernel/programs/pythons_lock.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "harness/run/look/kernel/address_space.h"

namespace gridlock::run {
namespace {

// What stands in front of the lock's condition variable.
struct State {
  std::uint64_t interval_us = 0;  // between two looks of who waits
  std::uint64_t last_holder = 0;
  std::int32_t locked = 0;
  std::uint64_t turns = 0;
};

// Where glibc's condition variable has the two words at which threads sleep, since 2.41 and before.
constexpr std::array<std::uint64_t, 2> kWords{32, 40};

bool is_plausible(const State& state) {
  constexpr std::uint64_t kLongest_us = 100'000'000;
  constexpr std::uint64_t kFirstPage = 4096;
  return state.interval_us > 0 && state.interval_us <= kLongest_us &&
         state.last_holder >= kFirstPage && (state.locked == 0 || state.locked == 1);
}

// Whether the word lies in the variable of the Python that is mapped there.
bool is_in_runtime(const Code& code, std::uint64_t word) {
  const std::string_view name = std::string_view(code.path).substr(code.path.rfind('/') + 1);
  if (name.find("python") == std::string_view::npos) return false;
  const ElfFile* file = file_of(code);
  if (file == nullptr) return false;
  const auto runtime = file->exported("_PyRuntime");
  const auto begin = file->address_of(code.offset);
  if (!runtime || !begin) return false;
  const std::uint64_t own = word - code.begin + *begin;  // by the file's own addresses
  return own >= runtime->begin && own - runtime->begin < runtime->size;
}

}  // namespace

std::optional<PythonsLock> pythons_lock(std::int64_t pid, std::uint64_t word,
                                        std::span<const Code> code) {
  const auto holds = [&](const Code& one) { return is_in_runtime(one, word); };
  if (std::ranges::none_of(code, holds)) return {};
  for (const std::uint64_t offset : kWords) {
    State state;
    const std::uint64_t address = word / 8 * 8 - offset - sizeof state;
    const bool is_read = read_memory(pid, address, std::as_writable_bytes(std::span(&state, 1)));
    if (is_read && is_plausible(state)) {
      return PythonsLock{.is_held = state.locked == 1, .turns = state.turns};
    }
  }
  return {};
}

}  // namespace gridlock::run
