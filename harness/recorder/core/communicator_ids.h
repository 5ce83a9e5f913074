// Ids of communicators. Every member computes the same one from what it was given:
//   init           the unique id, and how often this process joined as this rank with it before:
//                  with NCCL_COMM_ID all unique ids are equal
//   split, shrink  the parent, how many such calls this rank made on it before, and what sets the
//                  child apart: its color, or the ranks left out (in any order)
#pragma once

#include <nccl.h>

#include <cstdint>

namespace gridlock::recorder {

std::uint64_t id_of_init(const ncclUniqueId* ids, int id_count, int rank);
std::uint64_t id_of_init_all();
std::uint64_t id_of_split(std::uint32_t parent, int color);
std::uint64_t id_of_shrink(std::uint32_t parent, const int* excluded, int count);

}  // namespace gridlock::recorder
