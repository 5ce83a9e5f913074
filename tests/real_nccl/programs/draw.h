// A random point of the matrix collective x protocol x algorithm x type x operation x size x ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/real_nccl/programs/numbers.h"

enum class Kind {
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  ring
};
inline constexpr const char* kKinds[] = {"all_reduce", "broadcast",      "reduce",
                                         "all_gather", "reduce_scatter", "all_to_all",
                                         "gather",     "scatter",        "ring of messages"};

enum class Fold { sum, prod, max, min, avg, scaled };  // scaled: ncclRedOpCreatePreMulSum
inline constexpr const char* kFolds[] = {"sum", "prod", "max", "min", "avg", "scaled sum"};

struct Draw {
  std::uint64_t seed = 0;
  Kind kind{};
  const Type* type = nullptr;
  Fold fold{};
  std::size_t count = 0;  // as NCCL's call has it
  std::size_t shift = 0;  // elements between the start of the allocation and the buffer
  bool in_place = false;
  std::vector<int> ranks{};  // of the world, in the order of the communicator's
  int root = 0;
  int calls = 1;                        // one behind the other
  std::string protocol{}, algorithm{};  // empty: NCCL chooses

  int size() const { return static_cast<int>(ranks.size()); }
  bool reduces() const {
    return kind == Kind::all_reduce || kind == Kind::reduce || kind == Kind::reduce_scatter;
  }
};

inline std::uint64_t mix(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Over sockets each rank counts as a node, and only then NCCL has PAT.
inline bool has_pat(int version) {
  const auto off = [](const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr && *text == '1';
  };
  return version >= 22304 && off("NCCL_P2P_DISABLE") && off("NCCL_SHM_DISABLE");
}

// Number `index` of those with `seed`: the same on every rank.
inline Draw draw(std::uint64_t seed, std::uint64_t index, int world, int version) {
  std::mt19937_64 random(mix(mix(seed) ^ index));
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  Draw drawn;
  drawn.seed = random();
  drawn.kind = static_cast<Kind>(below(std::size(kKinds)));
  drawn.type = &kTypes[below(version < 22400 ? kTypesWithoutFloat8 : std::size(kTypes))];
  drawn.fold = static_cast<Fold>(below(std::size(kFolds)));
  // Every magnitude is as likely, with sizes just beside a power of two.
  drawn.count = (std::size_t{1} << below(17)) + below(3);
  if (drawn.count > 1 && below(2) == 0) --drawn.count;
  drawn.shift = below(4);
  drawn.in_place = below(2) == 0;
  for (int rank = 0; rank < world; ++rank) drawn.ranks.push_back(rank);
  for (std::size_t at = drawn.ranks.size() - 1; at > 0; --at)
    std::swap(drawn.ranks[at], drawn.ranks[below(at + 1)]);
  drawn.ranks.resize(2 + below(static_cast<std::size_t>(world) - 1));
  drawn.root = static_cast<int>(below(drawn.ranks.size()));
  drawn.calls = 1 + static_cast<int>(below(3));
  const char* const protocols[] = {"", "Simple", "LL", "LL128"};
  drawn.protocol = protocols[below(std::size(protocols))];
  const std::size_t algorithm = below(3);
  if (drawn.kind == Kind::all_reduce && algorithm > 0)
    drawn.algorithm = algorithm == 1 ? "Ring" : "Tree";
  // PAT neither scales nor averages: enqueue.cc takes ncclDevPreMulSum and ncclDevSumPostDiv out.
  const bool pat =
      drawn.kind == Kind::all_gather ||
      (drawn.kind == Kind::reduce_scatter && drawn.fold != Fold::scaled && drawn.fold != Fold::avg);
  if (pat && algorithm == 2 && has_pat(version)) {
    drawn.algorithm = "PAT";
    drawn.protocol = "Simple";  // it has no other
  }
  return drawn;
}

inline std::string words(const Draw& d) {
  std::string text =
      std::string(kKinds[static_cast<int>(d.kind)]) + " of " + std::to_string(d.count) + " " +
      d.type->name + (d.reduces() ? std::string(", ") + kFolds[static_cast<int>(d.fold)] : "") +
      (d.in_place ? ", in place" : "") + ", shifted by " + std::to_string(d.shift) + ", " +
      std::to_string(d.calls) + " calls, root " + std::to_string(d.root) + ", ranks";
  for (const int rank : d.ranks) text += " " + std::to_string(rank);
  return text + ", protocol " + (d.protocol.empty() ? "as NCCL chooses" : d.protocol) +
         ", algorithm " + (d.algorithm.empty() ? "as NCCL chooses" : d.algorithm);
}
