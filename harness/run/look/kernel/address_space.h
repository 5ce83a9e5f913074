// The memory of another process: its mappings, and what is on a thread's stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/run/look/kernel/programs/frames.h"

namespace gridlock::run {

// Copies memory of `pid` at `address`; false unless all of it was there.
//   Blocks   no; one system call
bool read_memory(std::int64_t pid, std::uint64_t address, std::span<std::byte> to);

class AddressSpace {
 public:
  // Of the process `pid`. Its mappings are read when they are first needed, because the kernel
  // takes long to write them; there are none if we may not look at it.
  explicit AddressSpace(std::int64_t pid);

  // Whether memory at `address` belongs to this process alone.
  bool is_private(std::uint64_t address) const;
  // Whether it maps a ring through which it gives the kernel work (io_uring).
  bool has_ring() const { return mappings().has_ring; }
  // Whether the recorder is loaded, which shows the process's alarms.
  bool has_recorder() const { return mappings().has_recorder; }
  // What is mapped as code, by address.
  std::span<const Code> code() const { return mappings().code; }
  // Whether a vendor's library is loaded.
  bool has_vendors_code() const;
  // Whether a thread whose stack pointer is `stack`, and which is at `instruction`, may be inside a
  // call of a vendor's library: it is in the vendor's code, or one of its calls returns there. If
  // its calls cannot be followed (call_chain()), any address on its stack to which a call in that
  // code returns counts, also one that an earlier call left there.
  bool may_be_in_vendors_call(std::uint64_t stack, std::uint64_t instruction) const;
  // Whether may_be_in_handler() knows what the kernel pushes on the stack for a handler.
#if defined(__x86_64__)
  static constexpr bool kShowsHandlers = true;
#else
  static constexpr bool kShowsHandlers = false;
#endif
  // Whether a thread whose stack pointer is `stack` may be inside a signal's handler: its stack
  // holds what the kernel pushes for one. What an earlier handler left there counts too.
  bool may_be_in_handler(std::uint64_t stack) const;

 private:
  struct Mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_private = false;
    bool is_vendors_code = false;
  };
  struct Mappings {
    std::vector<Mapping> all;  // by address
    std::vector<Code> code;    // by address
    bool has_ring;
    bool has_recorder;
  };
  //   Blocks   no; the kernel writes one line per mapping, the first time
  const Mappings& mappings() const;
  const Mapping* find(std::uint64_t address) const;
  bool is_vendors_code(std::uint64_t address) const;
  // The words from `stack` to the end of its mapping; {}: there are too many, or they cannot be
  // read.
  std::vector<std::uint64_t> words_from(std::uint64_t stack) const;
  // Whether the instruction before `address` may be a call.
  bool follows_call(std::uint64_t address) const;
  // Whether one of the words is an address to which a call in a vendor's code returns.
  bool has_vendors_address(std::span<const std::uint64_t> words) const;

  std::int64_t thread_;                       // one that shows the memory
  mutable std::optional<Mappings> mappings_;  // if they were needed
};

}  // namespace gridlock::run
