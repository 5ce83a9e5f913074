// What a thread waits for at a descriptor.
#pragma once

#include <cstdint>

namespace gridlock::run {

// Who can only write to a pipe cannot read it, but can still make room, by enlarging it. Room in a
// socket also comes by itself, when the other end confirms what it has received.
enum class Wanted : std::uint8_t { data, anything_but_room, anything };

// Of the events of a poll or of a set of epoll, which share their numbers.
Wanted wanted_by(std::uint32_t events);

}  // namespace gridlock::run
