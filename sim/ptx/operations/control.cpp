// Control: bra brx call ret exit trap, joins, nanosleep. Loading has already turned a guarded call,
// return or barrier into a branch around it.
#include "sim/ptx/operations/control.h"

#include <algorithm>
#include <ctime>

#include "sim/ptx/operations/access.h"
#include "sim/ptx/operations/decoder.h"
#include "sim/ptx/operations/groups.h"
#include "sim/ptx/state/late.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {
namespace {

// A loop has completed an iteration. It spins if it read the same values from the same places as in
// the previous iteration and changed nothing.
void came_round(Warp& w) {
  Group& group = *w.group;
  if (group.polled) {
    const bool same = !group.acted && group.seen == group.seen_before;
    group.spins = same ? group.spins + 1 : 0;
    group.seen_before = group.seen;
    group.seen = 0;
    if (group.spins >= kSpinning) w.stop = true;
  } else if (group.acted) {
    group.spins = 0;
  }
  group.polled = group.acted = false;
}

// `value`: the distance to the target; `extra`: where the paths join.
struct Bra {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    if (lanes != w.lanes) {
      expect_join(w, i.extra);
      split(w, w.lanes & ~lanes, w.next);
    }
    w.next = &i + i.value;
    if (i.value <= 0) came_round(w);
  }
};

struct Brx {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const auto* index = row<std::uint32_t>(w, i.row[0]);
    const std::vector<std::uint32_t>& targets =
        w.group->frame->function->tables[static_cast<std::size_t>(i.value)];
    const Instruction* code = w.group->frame->function->code.data();
    const Lanes others = w.lanes & ~lanes;  // whose guard does not hold
    bool first = true;
    if (others != 0) {
      expect_join(w, i.extra);
      split(w, others, w.next);
    }
    for (Lanes left = lanes; left != 0;) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      if (index[lane] >= targets.size()) {
        return fail(w, i, FaultKind::kIllegalInstruction, lane, 0,
                    "the index lies outside the branch's table");
      }
      Lanes same = 0;
      each(left, [&](unsigned l) { same |= Lanes{index[l] == index[lane]} << l; });
      same &= left;
      left &= ~same;
      const Instruction* target = code + targets[index[lane]];
      if (first && left == 0) {
        w.next = target;
        if (target <= &i) came_round(w);
        return;
      }
      if (first) expect_join(w, i.extra);
      first = false;
      if (left == 0)
        w.next = target;  // the last ones stay in this group
      else
        split(w, same, target);
    }
  }
};

void copy_slots(Warp& w, Lanes lanes, std::uint32_t to, const std::vector<Slot>& to_slots,
                std::uint32_t from, const std::vector<Slot>& from_slots) {
  for (std::size_t n = 0; n < std::min(to_slots.size(), from_slots.size()); ++n) {
    const std::uint32_t bytes = std::min(to_slots[n].bytes, from_slots[n].bytes);
    each(lanes, [&](unsigned l) {
      std::byte* local = w.local + std::size_t{l} * w.local_bytes;
      std::memcpy(local + to + to_slots[n].offset, local + from + from_slots[n].offset, bytes);
    });
  }
}

void call_function(Warp& w, const Instruction& i, const Function& callee) {
  Group& group = *w.group;
  const Frame& caller = *group.frame;
  const CallSite& site = caller.function->call_sites[i.extra];
  if (callee.entry || site.arguments.size() != callee.parameters.size() ||
      site.returns.size() > callee.returns.size()) {
    return fail(w, i, FaultKind::kIllegalInstruction,
                static_cast<unsigned>(std::countr_zero(w.lanes)), 0,
                "the call does not fit '" + callee.name + "'");
  }
  auto frame = std::make_shared<Frame>();
  frame->function = &callee;
  frame->back = w.next;
  frame->call = &i;
  frame->caller = group.frame;
  frame->registers = caller.registers + caller.function->frame_bytes;
  frame->local = caller.local + caller.function->local_bytes;
  frame->depth = caller.depth + 1;
  if (frame->depth > kMostDepth || frame->registers + callee.frame_bytes > kRegisterBytes ||
      frame->local + callee.local_bytes > w.local_bytes) {
    return fail(w, i, FaultKind::kStackOverflow, static_cast<unsigned>(std::countr_zero(w.lanes)));
  }
  copy_slots(w, w.lanes, frame->local, callee.parameters, caller.local, site.arguments);
  group.frame = std::move(frame);
  enter(w, *group.frame);
  w.next = callee.code.data();
}

struct Call {
  static void run(Warp& w, const Instruction& i, Lanes) { call_function(w, i, *i.function); }
};

// Lanes that call different functions split, and rejoin after the call (`value`).
struct CallIndirect {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const auto* address = row<std::uint64_t>(w, i.row[0]);
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    Lanes same = 0;
    each(lanes, [&](unsigned l) { same |= Lanes{address[l] == address[first]} << l; });
    const std::uint64_t offset = address[first] - kFunctionWindow;
    const auto& functions = *w.block->launched->functions;
    const std::uint64_t number = offset / kFunctionStep;
    const bool known = offset % kFunctionStep == 0 && number < functions.size();
    const Function* callee = known ? functions[number] : nullptr;
    if (callee == nullptr) {
      return fail(w, i, FaultKind::kIllegalInstruction, first, address[first],
                  "the address called is no function's");
    }
    if (callee->late) {
      try {
        callee = &w.block->launched->late->bring(*callee);
      } catch (const Refused& refused) {
        return fail(w, i, FaultKind::kIllegalInstruction, first, address[first], refused.what());
      }
    }
    if (same != lanes) {
      expect_join(w, static_cast<std::uint32_t>(i.value));
      split(w, lanes & ~same, &i);
    }
    call_function(w, i, *callee);
  }
};

struct Ret {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    Group& group = *w.group;
    if (group.frame->caller == nullptr) return end(w, lanes);
    // Lanes that entered the call together leave it together.
    if (group.join != nullptr && group.join->frame == group.frame.get()) {
      arrive(w, &i);
      return;
    }
    const std::shared_ptr<Frame> frame = group.frame;
    copy_slots(w, w.lanes, frame->caller->local,
               frame->caller->function->call_sites[frame->call->extra].returns, frame->local,
               frame->function->returns);
    group.frame = frame->caller;
    enter(w, *group.frame);
    w.next = frame->back;
  }
};

struct Exit {
  static void run(Warp& w, const Instruction&, Lanes lanes) { end(w, lanes); }
};

struct JoinHere {
  static void run(Warp& w, const Instruction& i, Lanes) {
    const Join* join = w.group->join.get();
    if (join == nullptr || join->frame != w.group->frame.get() || join->at != i.extra) return;
    arrive(w, &i);
  }
};

struct Trap {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    fail(w, i, FaultKind::kTrap, static_cast<unsigned>(std::countr_zero(lanes)));
  }
};

// For calls of __assertfail, whose parameters are message, file, line and function.
std::string text_at(const Warp& w, std::uint64_t address) {
  std::string text;
  for (; text.size() < 500; ++address) {
    const Memory::Range range = w.block->launched->globals->find(address);
    if (range.bytes == 0) break;
    const char c = static_cast<char>(*at_address(address));
    if (c == '\0') return text;
    text += c;
  }
  return text;
}
struct AssertFailed {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const Frame& frame = *w.group->frame;
    const CallSite& site = frame.function->call_sites[i.extra];
    std::uint64_t argument[4] = {};
    for (std::size_t n = 0; n < std::min<std::size_t>(4, site.arguments.size()); ++n) {
      std::memcpy(
          &argument[n],
          w.local + std::size_t{lane} * w.local_bytes + frame.local + site.arguments[n].offset,
          std::min<std::size_t>(8, site.arguments[n].bytes));
    }
    fail(w, i, FaultKind::kAssert, lane, 0,
         "assertion '" + text_at(w, argument[0]) + "' in " + text_at(w, argument[3]) + ", " +
             text_at(w, argument[1]) + ":" +
             std::to_string(static_cast<std::uint32_t>(argument[2])));
  }
};

struct Nanosleep {
  static void run(Warp& w, const Instruction& i, Lanes lanes) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::uint32_t nap = row<std::uint32_t>(w, i.row[0])[std::countr_zero(lanes)];
    w.group->state = Group::State::kAsleep;
    w.group->wake = now.tv_sec * 1'000'000'000LL + now.tv_nsec + std::min(nap, 1'000'000U);
    w.group->polled = true;
    w.stop = true;
  }
};

struct Nothing {
  static void run(Warp&, const Instruction&, Lanes) {}
};

void bra(Decoder& d) {
  d.take("uni");
  d.expect_operands(1, 1);
  if (d.operand(0).kind != OperandSource::Kind::kName) d.refuse("its target is no label");
  d.draft.code.run = Bra::run;
  d.draft.flow = Flow::kBranch;
  d.draft.labels = {d.operand(0).name};
}

void brx(Decoder& d) {
  if (!d.take("idx")) d.refuse("brx.idx alone is known");
  d.take("uni");
  d.expect_operands(2, 2);
  d.use(d.operand(0), Type::kU32);
  d.draft.code.run = Brx::run;
  d.draft.flow = Flow::kTable;
  d.draft.labels = d.branch_targets(d.operand(1).name);
}

void slots_of(Decoder& d, const OperandSource& list, std::vector<Slot>& slots) {
  for (const OperandSource& part : d.parts(list)) {
    if (part.kind != OperandSource::Kind::kVariable)
      d.refuse("its arguments are not all .param variables");
    const Symbol symbol = d.symbol(part);
    if (symbol.kind != Symbol::Kind::kLocal) d.refuse("its arguments are not all .param variables");
    slots.push_back({static_cast<std::uint32_t>(symbol.address), symbol.bytes});
  }
}

void call(Decoder& d) {
  using Kind = OperandSource::Kind;
  d.take("uni");
  CallSite& site = d.call_site();
  std::size_t n = 0;
  if (d.operand(n).kind == Kind::kList) slots_of(d, d.operand(n++), site.returns);
  const OperandSource& target = d.operand(n++);
  if (n < d.operands() && d.operand(n).kind == Kind::kList)
    slots_of(d, d.operand(n++), site.arguments);
  if (n < d.operands()) ++n;  // the prototype, or the list of possible targets
  if (n != d.operands()) d.refuse("has too many operands");
  d.draft.flow = Flow::kCall;
  d.draft.splits = true;
  if (target.kind == Kind::kRegister) {
    d.draft.code.run = CallIndirect::run;
    d.draft.code.value = kNoJoin;
    d.draft.indirect = true;
    return d.use(target, Type::kB64);
  }
  if (target.name == "__assertfail" || target.name == "__assert_fail") {
    d.draft.code.run = AssertFailed::run;
    return;
  }
  const Symbol symbol = d.symbol(target);
  if (symbol.kind != Symbol::Kind::kFunction || symbol.function == nullptr)
    d.refuse("what it calls is no function");
  d.draft.code.run = Call::run;
  d.draft.code.function = symbol.function;
}

template <class What, Flow kFlow, bool kSplits>
void plain(Decoder& d) {
  d.take("uni");
  d.expect_operands(0, 0);
  d.draft.code.run = What::run;
  d.draft.flow = kFlow;
  d.draft.splits = kSplits;
}

void nanosleep(Decoder& d) {
  if (d.take_type() != Type::kU32) d.refuse("its type is not covered");
  d.expect_operands(1, 1);
  d.use(d.operand(0), Type::kU32);
  d.draft.code.run = Nanosleep::run;
}

// Here, dependent launches always run one after the other.
void griddepcontrol(Decoder& d) {
  static constexpr std::string_view kForms[] = {"launch_dependents", "wait"};
  if (d.take_one(kForms) < 0) d.refuse("no form that is known");
  d.draft.code.run = Nothing::run;
}

constexpr std::pair<std::string_view, Decode> kOpcodes[] = {
    {"bra", bra},
    {"brx", brx},
    {"call", call},
    {"ret", plain<Ret, Flow::kReturn, true>},
    {"exit", plain<Exit, Flow::kExit, false>},
    {"trap", plain<Trap, Flow::kStop, false>},
    {"brkpt", plain<Trap, Flow::kStop, false>},
    {"nanosleep", nanosleep},
    {"griddepcontrol", griddepcontrol}};

}  // namespace

OpcodeTable control_opcodes() { return kOpcodes; }

Instruction join_at(std::uint32_t index) {
  Instruction i;
  i.run = JoinHere::run;
  i.extra = index;
  return i;
}
Instruction return_here() {
  Instruction i;
  i.run = Ret::run;
  return i;
}
Instruction branch_around() {
  Instruction i;
  i.run = Bra::run;
  return i;
}

}  // namespace sim::ptx
