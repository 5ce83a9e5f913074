// Liveness of virtual registers, and their rows by linear scan.
#include "sim/ptx/load/registers.h"

#include <algorithm>
#include <array>
#include <queue>

namespace sim::ptx {
namespace {

constexpr std::uint32_t kNone = ~0U;

struct Life {
  std::uint32_t first = kNone;
  std::uint32_t last = 0;
  void add(std::uint32_t at) {
    first = first == kNone ? at : std::min(first, at);
    last = std::max(last, at);
  }
};

template <class F>
void for_each_use(const Draft& draft, F&& f) {
  if (draft.guard >= 0) f(static_cast<std::uint32_t>(draft.guard));
  for (unsigned k = 0; k < kRows; ++k) {
    // A guarded instruction may leave its result unwritten, so the old value is still needed.
    if (draft.role[k] == Draft::Role::kUse ||
        (draft.role[k] == Draft::Role::kDefine && draft.guard >= 0))
      f(draft.reg[k]);
  }
}
template <class F>
void for_each_define(const Draft& draft, F&& f) {
  for (unsigned k = 0; k < kRows; ++k) {
    if (draft.role[k] == Draft::Role::kDefine) f(draft.reg[k]);
  }
}

class Liveness {
 public:
  Liveness(const std::vector<Draft>& drafts, const FlowGraph& graph, std::size_t registers)
      : drafts_(drafts), graph_(graph), lives(registers), number_(registers, kNone) {
    find_crossing();
    gather();
    spread();
    extend();
  }

 private:
  // Registers that some block uses before it sets them. Only these live across blocks.
  void find_crossing() {
    std::vector<std::uint32_t> defined_in(lives.size(), kNone);
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      for (std::uint32_t n = graph_.blocks[b].first; n <= graph_.blocks[b].last; ++n) {
        for_each_use(drafts_[n], [&](std::uint32_t r) {
          lives[r].add(n);
          if (defined_in[r] != b && number_[r] == kNone) number_[r] = crossing_++;
        });
        for_each_define(drafts_[n], [&](std::uint32_t r) {
          lives[r].add(n);
          if (drafts_[n].guard < 0) defined_in[r] = b;
        });
      }
    }
    words_ = (crossing_ + 63) / 64;
  }

  void gather() {
    const std::size_t size = graph_.blocks.size() * words_;
    uses_.assign(size, 0);
    defines_.assign(size, 0);
    for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
      for (std::uint32_t n = graph_.blocks[b].first; n <= graph_.blocks[b].last; ++n) {
        for_each_use(drafts_[n], [&](std::uint32_t r) {
          if (number_[r] != kNone && !has(defines_, b, number_[r])) set(uses_, b, number_[r]);
        });
        if (drafts_[n].guard >= 0) continue;
        for_each_define(drafts_[n], [&](std::uint32_t r) {
          if (number_[r] != kNone) set(defines_, b, number_[r]);
        });
      }
    }
  }

  // in = uses + (out - defines), out = union of the successors' in, until nothing changes.
  void spread() {
    in_ = uses_;
    out_.assign(in_.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t b = graph_.blocks.size(); b-- > 0;) {
        for (const std::uint32_t next : graph_.blocks[b].next) {
          if (next == kExitBlock) continue;
          for (std::size_t k = 0; k < words_; ++k) {
            const std::uint64_t added = in_[next * words_ + k] & ~out_[b * words_ + k];
            if (added == 0) continue;
            out_[b * words_ + k] |= added;
            const std::uint64_t before = in_[b * words_ + k];
            in_[b * words_ + k] |= added & ~defines_[b * words_ + k];
            changed = changed || in_[b * words_ + k] != before;
          }
        }
      }
    }
  }

  void extend() {
    for (std::uint32_t r = 0; r < number_.size(); ++r) {
      if (number_[r] == kNone) continue;
      for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
        if (has(in_, b, number_[r])) lives[r].add(graph_.blocks[b].first);
        if (has(out_, b, number_[r])) lives[r].add(graph_.blocks[b].last + 1);
      }
    }
  }

  using Bits = std::vector<std::uint64_t>;
  bool has(const Bits& bits, std::uint32_t b, std::uint32_t n) const {
    return (bits[b * words_ + n / 64] >> (n % 64) & 1) != 0;
  }
  void set(Bits& bits, std::uint32_t b, std::uint32_t n) const {
    bits[b * words_ + n / 64] |= 1ULL << (n % 64);
  }

  const std::vector<Draft>& drafts_;
  const FlowGraph& graph_;

 public:
  std::vector<Life> lives;

 private:
  std::vector<std::uint32_t> number_;
  std::uint32_t crossing_ = 0;
  std::size_t words_ = 0;
  Bits uses_, defines_, in_, out_;
};

// Pools by width: 8, 4, 2 bytes a lane, and predicates.
constexpr std::array<std::uint32_t, 4> kRowBytes{256, 128, 64, 4};
unsigned pool_of(Type type) {
  switch (bytes_of(type)) {
    case 8:
      return 0;
    case 4:
      return 1;
    case 2:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

std::uint32_t assign_rows(std::vector<Draft>& drafts, const FlowGraph& graph,
                          const std::vector<Type>& registers) {
  const Liveness liveness(drafts, graph, registers.size());
  const std::vector<Life>& lives = liveness.lives;
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < registers.size(); ++r) {
    if (lives[r].first != kNone) order.push_back(r);
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return lives[a].first < lives[b].first; });

  struct Ending {
    std::uint32_t last, slot;
    bool operator>(const Ending& other) const { return last > other.last; }
  };
  std::array<std::priority_queue<Ending, std::vector<Ending>, std::greater<>>, 4> active;
  std::array<std::vector<std::uint32_t>, 4> unused;
  std::array<std::uint32_t, 4> slots{};
  std::vector<std::uint32_t> slot_of(registers.size(), 0);
  for (const std::uint32_t r : order) {
    const unsigned pool = pool_of(registers[r]);
    // A row that an instruction reads for the last time may take its result. A result that nobody
    // reads keeps its row until the next instruction, because another result of the same one must
    // not share it.
    while (!active[pool].empty() && active[pool].top().last <= lives[r].first) {
      unused[pool].push_back(active[pool].top().slot);
      active[pool].pop();
    }
    if (unused[pool].empty()) {
      slot_of[r] = slots[pool]++;
    } else {
      slot_of[r] = unused[pool].back();
      unused[pool].pop_back();
    }
    const std::uint32_t last = lives[r].last == lives[r].first ? lives[r].last + 1 : lives[r].last;
    active[pool].push({last, slot_of[r]});
  }

  std::array<std::uint32_t, 4> base{};
  std::uint32_t bytes = 0;
  for (unsigned pool = 0; pool < 4; ++pool) {
    base[pool] = bytes;
    bytes += slots[pool] * kRowBytes[pool];
  }
  bytes = (bytes + 63) / 64 * 64;
  const auto row_of = [&](std::uint32_t r) {
    const unsigned pool = pool_of(registers[r]);
    return row_at(Base::kFrame, base[pool] + slot_of[r] * kRowBytes[pool]);
  };
  for (Draft& draft : drafts) {
    if (draft.guard >= 0) draft.code.guard = row_of(static_cast<std::uint32_t>(draft.guard));
    for (unsigned k = 0; k < kRows; ++k) {
      if (draft.role[k] != Draft::Role::kFixed) draft.code.row[k] = row_of(draft.reg[k]);
    }
  }
  return bytes;
}

}  // namespace sim::ptx
