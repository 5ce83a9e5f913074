// Barriers of a block: bar and barrier, .sync .arrive .red, by number and count of threads.
#include "sim/ptx/operations/access.h"
#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/groups.h"
#include "sim/ptx/operations/meeting.h"

namespace sim::ptx {
void decode_warp_sync(Decoder& d);

namespace {

enum : std::uint8_t { kSync, kArrive, kPopc, kAnd, kOr };  // sub
constexpr std::uint8_t kNegated = 1;
// Rows: number, threads, result, predicate.

// The number of threads that have arrived. A warp whose lanes have all arrived, or ended, counts as
// full: barriers count in warps, even if a block's last warp is not full.
std::uint32_t arrived(const Block& block, const Barrier& barrier) {
  std::uint32_t threads = 0;
  for (std::size_t n = 0; n < block.warps.size(); ++n) {
    const Lanes lanes = barrier.arrived[n];
    if (lanes == 0) continue;
    const bool full = (block.warps[n]->alive & ~lanes) == 0;
    threads += full ? kLanes : static_cast<std::uint32_t>(std::popcount(lanes));
  }
  return threads;
}

bool complete(const Block& block, const Barrier& barrier) {
  if (barrier.expected != 0) return arrived(block, barrier) >= barrier.expected;
  for (std::size_t n = 0; n < block.warps.size(); ++n) {
    if ((block.warps[n]->alive & ~barrier.arrived[n]) != 0) return false;
  }
  return true;
}

void release(Block& block, unsigned number, const Barrier& barrier) {
  for (const auto& warp : block.warps) {
    bool released = false;
    for (const auto& group : warp->groups) {
      if (group->state != Group::State::kAtBarrier || group->barrier != number) continue;
      const Instruction& i = *group->next;
      enter(*warp, *group->frame);
      if (i.sub == kPopc) {
        auto* d = row<std::uint32_t>(*warp, i.row[2]);
        each(group->lanes, [&](unsigned l) { d[l] = barrier.count; });
      } else if (i.sub == kAnd || i.sub == kOr) {
        const bool value = i.sub == kAnd ? barrier.all : barrier.count != 0;
        set_predicate(*warp, i.row[2], group->lanes, value ? kAllLanes : 0);
      }
      group->state = Group::State::kReady;
      ++group->next;
      group->spins = 0;
      released = true;
    }
    if (!released) continue;
    warp->stalled = 0;
    warp->group = nullptr;
    warp->stop = true;
    merge(*warp);
  }
}

struct Bar {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const auto* numbers = row<std::uint32_t>(w, i.row[0]);
    const std::uint32_t number = numbers[first];
    const std::uint32_t threads = row<std::uint32_t>(w, i.row[1])[first];
    if (number >= kBarriers || threads % kLanes != 0) {
      return fail(w, i, FaultKind::kIllegalInstruction, first, 0,
                  number >= kBarriers ? "there is no barrier " + std::to_string(number)
                                      : "a barrier counts whole warps, not " +
                                            std::to_string(threads) + " threads");
    }
    Lanes same = 0;
    each(lanes, [&](unsigned l) { same |= Lanes{numbers[l] == number} << l; });
    if ((lanes & ~same) != 0) split(w, lanes & ~same, &i);
    Block& block = *w.block;
    Barrier& barrier = block.barriers[number];
    if (!barrier.used) {
      barrier.used = true;
      barrier.expected = threads;
      barrier.arrived.assign(block.warps.size(), 0);
      barrier.count = 0;
      barrier.all = true;
    }
    barrier.arrived[w.number] |= same;
    if (i.sub >= kPopc) {
      const Lanes p = predicate(w, i.row[3]) ^ ((i.flags & kNegated) != 0 ? kAllLanes : 0);
      barrier.count += static_cast<std::uint32_t>(std::popcount(p & same));
      barrier.all = barrier.all && (same & ~p) == 0;
    }
    w.group->acted = true;
    if (i.sub != kArrive) {
      w.group->state = Group::State::kAtBarrier;
      w.group->barrier = static_cast<std::uint8_t>(number);
      w.next = &i;
      w.stop = true;
    }
    keep(w);
    settle_barriers(block);
  }
};

void literal_or_row(Decoder& d, const OperandSource* operand) {
  if (operand == nullptr)
    d.use_bits(0, Type::kU32);
  else
    d.use(*operand, Type::kU32);
}

void bar(Decoder& d) {
  if (d.take("warp")) return decode_warp_sync(d);
  static constexpr std::string_view kForms[] = {"sync", "arrive", "red"};
  static constexpr std::string_view kReductions[] = {"popc", "and", "or"};
  d.take("cta");
  d.take("aligned");
  const int form = d.take_one(kForms);
  if (form < 0) d.refuse("no form that is known");
  d.draft.splits = true;
  d.draft.code.run = Bar::run;
  d.draft.code.sub = static_cast<std::uint8_t>(form == 1 ? kArrive : kSync);
  if (form < 2) {
    d.expect_operands(form == 1 ? 2 : 1, 2);
    d.use(d.operand(0), Type::kU32);
    return literal_or_row(d, d.operands() > 1 ? &d.operand(1) : nullptr);
  }
  const int reduction = d.take_one(kReductions);
  if (reduction < 0) d.refuse("no reduction that is known");
  if (d.take_type() != (reduction == 0 ? Type::kU32 : Type::kPred))
    d.refuse("its type is not covered");
  d.draft.code.sub = static_cast<std::uint8_t>(kPopc + reduction);
  d.expect_operands(3, 4);
  d.use(d.operand(1), Type::kU32);
  literal_or_row(d, d.operands() > 3 ? &d.operand(2) : nullptr);
  d.define(d.operand(0), reduction == 0 ? Type::kU32 : Type::kPred);
  d.draft.code.flags = d.use_predicate(d.operand(d.operands() - 1)) ? kNegated : 0;
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {{"bar", bar}, {"barrier", bar}};

}  // namespace

void settle_barriers(Block& block) {
  for (unsigned number = 0; number < kBarriers; ++number) {
    Barrier& barrier = block.barriers[number];
    if (!barrier.used || !complete(block, barrier)) continue;
    barrier.used = false;
    release(block, number, barrier);
  }
}

OpcodeTable barrier_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
