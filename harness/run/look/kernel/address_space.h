// The memory of another process: its mappings, and what is on a thread's stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace gridlock::run {

// Copies memory of `pid` at `address`; false unless all of it was there.
//   Blocks   no; one system call
bool read_memory(std::int64_t pid, std::uint64_t address, std::span<std::byte> to);

class AddressSpace {
 public:
  // The mappings of the process `pid` now; empty if we may not look at it.
  //   Blocks   no; the kernel writes one line per mapping
  explicit AddressSpace(std::int64_t pid);

  // Whether memory at `address` belongs to this process alone.
  bool is_private(std::uint64_t address) const;
  // Whether it maps a ring through which it gives the kernel work (io_uring).
  bool has_ring() const { return has_ring_; }
  // Whether the recorder is loaded, which shows the process's alarms.
  bool has_recorder() const { return has_recorder_; }
  // Whether a vendor's library is loaded.
  bool has_vendors_code() const;
  // Whether a thread whose stack pointer is `stack`, and which is at `instruction`, may be inside a
  // call of a vendor's library: it is in the vendor's code, or its stack holds an address to which
  // a call in that code returns. An address that an earlier call left there counts too.
  bool may_be_in_vendors_call(std::uint64_t stack, std::uint64_t instruction) const;
  // Whether may_be_in_handler() can tell: on x86-64, the kernel writes the address to the stack.
#if defined(__x86_64__)
  static constexpr bool kShowsHandlers = true;
#else
  static constexpr bool kShowsHandlers = false;
#endif
  // Whether a thread whose stack pointer is `stack` may be inside a signal's handler: its stack
  // holds the address to which handlers return. One that an earlier handler left there counts too.
  bool may_be_in_handler(std::uint64_t stack) const;

 private:
  struct Mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_private = false;
    bool is_code = false;
    bool is_vendors_code = false;
  };
  const Mapping* find(std::uint64_t address) const;
  bool is_vendors_code(std::uint64_t address) const;
  // The words from `stack` to the end of its mapping; {}: there are too many, or they cannot be
  // read.
  std::vector<std::uint64_t> words_from(std::uint64_t stack) const;
  // Whether handlers return to `address`: the code there ends them (sigreturn).
  bool ends_handler(std::uint64_t address) const;
  // Whether the instruction before `address` may be a call.
  bool follows_call(std::uint64_t address) const;

  std::int64_t thread_;                                           // one that shows the memory
  std::vector<Mapping> mappings_;                                 // by address
  mutable std::unordered_map<std::uint64_t, bool> ends_handler_;  // by address, as far as asked
  bool has_ring_ = false;
  bool has_recorder_ = false;
};

}  // namespace gridlock::run
