// What a warp's lanes execute together: bar.warp.sync vote shfl match redux elect activemask.
//
// Each lane brings its values. When the last awaited lane has come, each lane gets its result, even
// if the groups are in two calls of the same function.
#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/groups.h"
#include "sim/ptx/operations/meeting.h"

namespace sim::ptx {
namespace {

enum class Kind : std::uint8_t { kSync, kVote, kShfl, kMatchAny, kMatchAll, kRedux, kElect };
enum : std::uint8_t { kAll, kAny, kUni, kBallot };            // sub of a vote
enum : std::uint8_t { kUp, kDown, kBfly, kIdx };              // of a shuffle
enum : std::uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor };    // of redux
constexpr std::uint8_t kNegated = 1, kWide = 2, kSigned = 4;  // flags

// Rows: members, result, second result, then what is brought.
constexpr unsigned kMembers = 0, kResult = 1, kSecond = 2, kValue = 3, kB = 4, kC = 5;

void bring(Warp& w, const Instruction& i, Lanes lanes) {
  switch (static_cast<Kind>(i.count)) {
    case Kind::kSync:
    case Kind::kElect:
      return;
    case Kind::kVote: {
      Lanes p = predicate(w, i.row[kValue]);
      if ((i.flags & kNegated) != 0) p = ~p;
      w.brought_predicate = (w.brought_predicate & ~lanes) | (p & lanes);
      return;
    }
    case Kind::kShfl:
      each(lanes, [&](unsigned l) {
        w.brought_b[l] = row<std::uint32_t>(w, i.row[kB])[l];
        w.brought_c[l] = row<std::uint32_t>(w, i.row[kC])[l];
      });
      [[fallthrough]];
    default:
      each(lanes, [&](unsigned l) {
        w.brought[l] = (i.flags & kWide) != 0 ? row<std::uint64_t>(w, i.row[kValue])[l]
                                              : row<std::uint32_t>(w, i.row[kValue])[l];
      });
  }
}

void vote(Warp& w, const Instruction& i, Lanes members, Lanes lanes) {
  const Lanes yes = w.brought_predicate & members;
  if (i.sub == kBallot) {
    auto* d = row<std::uint32_t>(w, i.row[kResult]);
    return each(lanes, [&](unsigned l) { d[l] = yes; });
  }
  const bool holds = i.sub == kAll   ? yes == members
                     : i.sub == kAny ? yes != 0
                                     : yes == 0 || yes == members;
  set_predicate(w, i.row[kResult], lanes, holds ? kAllLanes : 0);
}

// Follows the manual's pseudocode: a lane's segment, and the lane in it that the value comes from.
void shfl(Warp& w, const Instruction& i, Lanes members, Lanes lanes) {
  auto* d = row<std::uint32_t>(w, i.row[kResult]);
  Lanes in_range = 0;
  each(lanes, [&](unsigned l) {
    const auto lane = static_cast<int>(l);
    const auto b = static_cast<int>(w.brought_b[l] & 0x1f);
    const auto c = static_cast<int>(w.brought_c[l] & 0x1f);
    const auto segment = static_cast<int>(w.brought_c[l] >> 8 & 0x1f);
    const int most = (lane & segment) | (c & ~segment);
    const int least = lane & segment;
    int from = 0;
    bool in = false;
    switch (i.sub) {
      case kUp:
        from = lane - b;
        in = from >= most;
        break;
      case kDown:
        from = lane + b;
        in = from <= most;
        break;
      case kBfly:
        from = lane ^ b;
        in = from <= most;
        break;
      default:
        from = least | (b & ~segment);
        in = from <= most;
        break;
    }
    if (!in) from = lane;
    in_range |= Lanes{in} << l;
    // The value from a lane that takes no part is undefined, so the lane keeps its own.
    const bool there = (members >> (from & 31) & 1) != 0;
    d[l] = static_cast<std::uint32_t>(w.brought[there ? static_cast<unsigned>(from & 31) : l]);
  });
  set_predicate(w, i.row[kSecond], lanes, in_range);
}

void match(Warp& w, const Instruction& i, Lanes members, Lanes lanes) {
  auto* d = row<std::uint32_t>(w, i.row[kResult]);
  Lanes all = 0;
  each(lanes, [&](unsigned l) {
    Lanes same = 0;
    each(members,
         [&](unsigned other) { same |= Lanes{w.brought[other] == w.brought[l]} << other; });
    same &= members;
    if (static_cast<Kind>(i.count) == Kind::kMatchAny) {
      d[l] = same;
    } else {
      d[l] = same == members ? same : 0;
      all |= Lanes{same == members} << l;
    }
  });
  if (static_cast<Kind>(i.count) == Kind::kMatchAll) set_predicate(w, i.row[kSecond], lanes, all);
}

void redux(Warp& w, const Instruction& i, Lanes members, Lanes lanes) {
  std::uint32_t result = 0;
  bool first = true;
  for (Lanes left = members; left != 0; left &= left - 1) {
    const auto value =
        static_cast<std::uint32_t>(w.brought[static_cast<unsigned>(std::countr_zero(left))]);
    const bool less = (i.flags & kSigned) != 0
                          ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(result)
                          : value < result;
    if (first)
      result = value;
    else if (i.sub == kAdd)
      result += value;
    else if (i.sub == kMin)
      result = less ? value : result;
    else if (i.sub == kMax)
      result = less ? result : value;
    else if (i.sub == kAnd)
      result &= value;
    else if (i.sub == kOr)
      result |= value;
    else
      result ^= value;
    first = false;
  }
  auto* d = row<std::uint32_t>(w, i.row[kResult]);
  each(lanes, [&](unsigned l) { d[l] = result; });
}

void elect(Warp& w, const Instruction& i, Lanes members, Lanes lanes) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(members));
  auto* d = row<std::uint32_t>(w, i.row[kResult]);
  each(lanes, [&](unsigned l) { d[l] = leader; });
  set_predicate(w, i.row[kSecond], lanes, 1U << leader);
}

void take_results(Warp& w, const Instruction& i, Lanes members, Lanes lanes) {
  switch (static_cast<Kind>(i.count)) {
    case Kind::kSync:
      return;
    case Kind::kVote:
      return vote(w, i, members, lanes);
    case Kind::kShfl:
      return shfl(w, i, members, lanes);
    case Kind::kMatchAny:
    case Kind::kMatchAll:
      return match(w, i, members, lanes);
    case Kind::kRedux:
      return redux(w, i, members, lanes);
    case Kind::kElect:
      return elect(w, i, members, lanes);
  }
}

// A lane that does not name itself is a member anyway.
struct Meeting {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const Lanes named = (row<std::uint32_t>(w, i.row[kMembers])[first] | lanes) & w.alive;
    bring(w, i, lanes);
    if ((named & ~lanes) == 0) return take_results(w, i, named, lanes);
    Group& group = *w.group;
    group.state = Group::State::kAtWarp;
    group.members = named;
    w.next = &i;
    keep(w);
    w.stop = true;
    settle_meetings(w);
  }
};

struct Activemask {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    auto* d = row<std::uint32_t>(w, i.row[0]);
    each(lanes, [&](unsigned l) { d[l] = lanes; });
  }
};

// In .sync forms the last operand names the members.
void meet(Decoder& d, Kind kind) {
  d.draft.code.run = Meeting::run;
  d.draft.code.count = static_cast<std::uint8_t>(kind);
  d.draft.splits = true;
}

void result_and_predicate(Decoder& d, const OperandSource& result, Type type, bool needs_second) {
  const bool pair = result.kind == OperandSource::Kind::kPair;
  if (needs_second && !pair) d.refuse("its predicate is missing");
  d.define(pair ? d.parts(result)[0] : result, type);
  d.define(pair ? d.parts(result)[1] : OperandSource{}, Type::kPred);
}

void need_sync(Decoder& d) {
  if (!d.take("sync")) d.refuse("without .sync it is no longer part of PTX");
}

void decode_vote(Decoder& d) {
  static constexpr std::string_view kForms[] = {"all", "any", "uni", "ballot"};
  need_sync(d);
  const int form = d.take_one(kForms);
  const Type type = d.take_type();
  if (form < 0 || type != (form == kBallot ? Type::kB32 : Type::kPred))
    d.refuse("no form that is known");
  meet(d, Kind::kVote);
  d.draft.code.sub = static_cast<std::uint8_t>(form);
  d.expect_operands(3, 3);
  d.use(d.operand(2), Type::kB32);
  d.define(d.operand(0), type);
  d.define(OperandSource{}, Type::kPred);
  d.draft.code.flags = d.use_predicate(d.operand(1)) ? kNegated : 0;
}

void decode_shfl(Decoder& d) {
  static constexpr std::string_view kForms[] = {"up", "down", "bfly", "idx"};
  need_sync(d);
  const int form = d.take_one(kForms);
  if (form < 0 || d.take_type() != Type::kB32) d.refuse("no form that is known");
  meet(d, Kind::kShfl);
  d.draft.code.sub = static_cast<std::uint8_t>(form);
  d.expect_operands(5, 5);
  d.use(d.operand(4), Type::kB32);
  result_and_predicate(d, d.operand(0), Type::kB32, false);
  for (std::size_t n = 1; n < 4; ++n) d.use(d.operand(n), Type::kB32);
}

void decode_match(Decoder& d) {
  const bool all = d.take("all");
  if (!all && !d.take("any")) d.refuse("no form that is known");
  need_sync(d);
  const Type type = d.take_type();
  if (type != Type::kB32 && type != Type::kB64) d.refuse("its type is not covered");
  meet(d, all ? Kind::kMatchAll : Kind::kMatchAny);
  d.draft.code.flags = type == Type::kB64 ? kWide : 0;
  d.expect_operands(3, 3);
  d.use(d.operand(2), Type::kB32);
  result_and_predicate(d, d.operand(0), Type::kB32, false);
  d.use(d.operand(1), type);
}

void decode_redux(Decoder& d) {
  static constexpr std::string_view kForms[] = {"add", "min", "max", "and", "or", "xor"};
  need_sync(d);
  const int form = d.take_one(kForms);
  const Type type = d.take_type();
  if (form < 0 || bytes_of(type) != 4 || is_bits(type) != (form >= kAnd) || type == Type::kF32)
    d.refuse("no form that is known");
  meet(d, Kind::kRedux);
  d.draft.code.sub = static_cast<std::uint8_t>(form);
  d.draft.code.flags = type == Type::kS32 ? kSigned : 0;
  d.expect_operands(3, 3);
  d.use(d.operand(2), Type::kB32);
  d.define(d.operand(0), type);
  d.define(OperandSource{}, Type::kPred);
  d.use(d.operand(1), type);
}

void decode_elect(Decoder& d) {
  need_sync(d);
  meet(d, Kind::kElect);
  d.expect_operands(2, 2);
  d.use(d.operand(1), Type::kB32);
  result_and_predicate(d, d.operand(0), Type::kB32, true);
}

void activemask(Decoder& d) {
  if (d.take_type() != Type::kB32) d.refuse("its type is not covered");
  d.expect_operands(1, 1);
  d.draft.code.run = Activemask::run;
  d.define(d.operand(0), Type::kB32);
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"vote", decode_vote},   {"shfl", decode_shfl},   {"match", decode_match},
    {"redux", decode_redux}, {"elect", decode_elect}, {"activemask", activemask}};

}  // namespace

void decode_warp_sync(Decoder& d) {  // bar.warp.sync
  need_sync(d);
  meet(d, Kind::kSync);
  d.expect_operands(1, 1);
  d.use(d.operand(0), Type::kB32);
}

void settle_meetings(Warp& w) {
  bool settled = false;
  for (std::size_t n = 0; n < w.groups.size(); ++n) {
    const Group& waiting = *w.groups[n];
    if (waiting.state != Group::State::kAtWarp) continue;
    const Instruction* at = waiting.next;
    const Lanes members = waiting.members & w.alive;
    Lanes come = 0;
    for (const auto& group : w.groups) {
      if (group->state == Group::State::kAtWarp && group->next == at) come |= group->lanes;
    }
    if ((members & ~come) != 0) continue;
    for (const auto& group : w.groups) {
      if (group->state != Group::State::kAtWarp || group->next != at ||
          (group->lanes & members) == 0)
        continue;
      enter(w, *group->frame);
      take_results(w, *at, members, group->lanes);
      group->state = Group::State::kReady;
      group->next = at + 1;
      group->spins = 0;
    }
    settled = true;
  }
  if (!settled) return;
  // The scheduler enters the next group anew.
  w.group = nullptr;
  w.stop = true;
  merge(w);
}

OpcodeTable warp_opcodes() { return kOpcodes; }

}  // namespace sim::ptx
