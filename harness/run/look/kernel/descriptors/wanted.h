// What a thread waits for at a descriptor.
#pragma once

#include <cstdint>

namespace gridlock::run {

// Who can only write to a pipe cannot read it, but can still make room, by enlarging it. Room in a
// socket also comes by itself, when the other end confirms what it has received. A socket's own
// time limits (SO_RCVTIMEO) hold for calls that block, and not for a poll.
enum class Wanted : std::uint8_t {
  data,       // by a call that blocks
  anything,   // the same, room as well
  events,     // by a poll, but no room
  any_events  // room as well
};

inline bool is_polled(Wanted wanted) {
  return wanted == Wanted::events || wanted == Wanted::any_events;
}
inline bool may_be_room(Wanted wanted) {
  return wanted == Wanted::anything || wanted == Wanted::any_events;
}

// Of the events of a poll or of a set of epoll, which share their numbers.
Wanted wanted_by(std::uint32_t events);

}  // namespace gridlock::run
