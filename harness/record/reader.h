// Reads a black box while its owner writes it, or after the owner is gone. Trusts nothing in the
// box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::record {

enum class Modules : std::uint8_t { leave_out, read };

// What the box of `size` bytes at `box` holds now: all operations in flight, and those from
// `since_index` on that the ring still holds. A box that no process has claimed yet (empty, or all
// zeros) gives a snapshot with pid 0 and no damage.
//   Errors   none: `damage` says what is wrong, and the sound parts are still read. An entry that
//   is being written is left out, which is not damage.
//   Blocks   no
Snapshot read(const void* box, std::size_t size, std::uint64_t since_index = 0,
              Modules modules = Modules::read);

// The size of a rank's memory file, in bytes.
std::size_t file_size();

// The box that counts in a rank's memory file. A shorter file is all one box.
std::span<const std::byte> current_box(std::span<const std::byte> file);

// Writes the box as it is now to the file at `path`; such a file is complete.
//   Errors   returns what is wrong, or ""
std::string save(const void* box, std::size_t size, const std::string& path);

// The box that counts in a saved file.
//   Errors   an unreadable file is a snapshot with a `damage` sentence
Snapshot read_file(const std::string& path);

}  // namespace gridlock::record
