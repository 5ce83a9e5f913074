// Ids of communicators. Every member computes the same id from what it was given:
//   init           the unique id, and how often this process joined as this rank with it before;
//   with
//                  NCCL_COMM_ID, where all unique ids are equal, also the size
//   split          the parent, how many splits of it there were before, and the color
//   shrink         the parent, the ranks left out (in any order), and how many such shrinks there
//                  were before: not all ranks make one
#pragma once

#include <nccl.h>

#include <cstdint>

namespace gridlock::recorder {

// An id, and the key under which it is counted.
struct CountedId {
  std::uint64_t id = 0;
  std::uint64_t count = 0;
  bool uncertain = false;  // other members may have counted otherwise
};
CountedId id_of_init(const ncclUniqueId* ids, int id_count, int size, int rank);
std::uint64_t id_of_init_all();
std::uint64_t id_of_split(std::uint32_t parent, int color);
// As this rank's own: others of the process make the same shrink.
CountedId id_of_shrink(std::uint32_t parent, const int* excluded, int count);
// The call failed, so the next one gets the same id.
void take_back_id(std::uint64_t count);
// An init ended in between: the other members may have counted it. With NCCL_COMM_ID, nothing tells
// from now on which communicators belong together.
void doubt_later_ids();

}  // namespace gridlock::recorder
