// Reads a black box while its owner writes it, or after the owner is gone. Trusts nothing in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::record {

enum class Modules : std::uint8_t { leave_out, read };

// The content of the box of `size` bytes at `box` now: all operations in flight, and those with an
// index of at least `since_index`, as far as the ring still holds them.
// A box that no process has claimed yet (empty, or all zeros) gives a snapshot with pid 0 and no
// damage.
//   Errors   none: `damage` says what is wrong, and the sound parts are there nevertheless.
//            An entry that is just being written is left out, which is not damage.
//   Blocks   no
Snapshot read(const void* box, std::size_t size, std::uint64_t since_index = 0,
              Modules modules = Modules::read);

// The size of a box, in bytes.
std::size_t box_size();

// Writes the box to the file at `path` as it is now; such a file is complete in itself.
//   Errors   returns what is wrong, or ""
std::string save(const void* box, std::size_t size, const std::string& path);

// A box that was saved to a file.
//   Errors   an unreadable file is a snapshot with a `damage` sentence
Snapshot read_file(const std::string& path);

}  // namespace gridlock::record
