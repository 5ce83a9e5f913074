// CPython keeps the lock in the variable _PyRuntime, which it exports.
#include "harness/run/look/kernel/programs/pythons_lock.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "harness/run/look/kernel/address_space.h"
#include "harness/run/look/kernel/proc.h"

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
  constexpr std::uint64_t kLongest_us = 50'000;  // 5,000 unless the program sets it
  constexpr std::uint64_t kFirstPage = 4096;
  return state.interval_us > 0 && state.interval_us <= kLongest_us &&
         state.last_holder >= kFirstPage && (state.locked == 0 || state.locked == 1);
}

// The thread whose state this is. Somewhere it has the C library's name of the thread, which is
// where that keeps the thread's number.
std::int64_t thread_of(std::int64_t pid, std::uint64_t state) {
#if defined(__x86_64__) && defined(__GLIBC__)
  constexpr std::uint64_t kToNumber = 720;
  constexpr std::uint64_t kAlignment = 64;
  std::array<std::uint64_t, 64> words{};
  if (!read_memory(pid, state, std::as_writable_bytes(std::span(words)))) return 0;
  for (const std::uint64_t word : words) {
    std::int32_t number = 0;
    if (word == 0 || word % kAlignment != 0) continue;
    const bool is_read =
        read_memory(pid, word + kToNumber, std::as_writable_bytes(std::span(&number, 1)));
    if (is_read && number > 0 && thread_stat(pid, number).state != '\0') return number;
  }
#endif
  return 0;
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
      return PythonsLock{.holder = thread_of(pid, state.last_holder),
                         .is_held = state.locked == 1,
                         .turns = state.turns};
    }
  }
  return {};
}

}  // namespace gridlock::run
