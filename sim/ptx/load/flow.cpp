// Finds where branches rejoin, and turns drafts into a function's code.
#include "sim/ptx/load/flow.h"

#include <algorithm>

#include "sim/ptx/operations/control.h"
#include "sim/ptx/operations/groups.h"
#include "sim/ptx/text/token.h"

namespace sim::ptx {
namespace {

bool ends_block(const Draft& draft) {
  switch (draft.flow) {
    case Flow::kBranch:
    case Flow::kTable:
    case Flow::kReturn:
      return true;
    case Flow::kExit:
    case Flow::kStop:
      return draft.guard < 0;
    default:
      return false;
  }
}

// Post-dominators are the dominators of the reversed graph (Cooper, Harvey, Kennedy 2001), with one
// exit node after all ends.
class PostDominators {
 public:
  explicit PostDominators(const std::vector<FlowBlock>& blocks)
      : exit_(static_cast<std::uint32_t>(blocks.size())),
        before_(blocks.size() + 1),
        order_(blocks.size() + 1, kNowhere),
        result_(blocks.size() + 1, kNowhere) {
    for (std::uint32_t b = 0; b < exit_; ++b) {
      for (const std::uint32_t next : blocks[b].next) {
        before_[next == kExitBlock ? exit_ : next].push_back(b);
      }
    }
    number();
    result_[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = postorder_.rbegin(); block != postorder_.rend(); ++block) {
        if (*block != exit_) changed |= improve(*block, blocks[*block].next);
      }
    }
  }

  std::uint32_t of(std::uint32_t block) const {
    return result_[block] == exit_ ? kExitBlock : result_[block];
  }

 private:
  void number() {
    struct Step {
      std::uint32_t block;
      std::size_t next;
    };
    std::vector<Step> path{{exit_, 0}};
    std::vector<bool> seen(before_.size());
    seen[exit_] = true;
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next < before_[step.block].size()) {
        const std::uint32_t before = before_[step.block][step.next++];
        if (!seen[before]) {
          seen[before] = true;
          path.push_back({before, 0});
        }
      } else {
        order_[step.block] = static_cast<std::uint32_t>(postorder_.size());
        postorder_.push_back(step.block);
        path.pop_back();
      }
    }
  }

  bool improve(std::uint32_t block, const std::vector<std::uint32_t>& nexts) {
    std::uint32_t best = kNowhere;
    for (std::uint32_t next : nexts) {
      if (next == kExitBlock) next = exit_;
      if (result_[next] == kNowhere) continue;
      best = best == kNowhere ? next : common(next, best);
    }
    if (result_[block] == best) return false;
    result_[block] = best;
    return true;
  }

  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      while (order_[a] < order_[b]) a = result_[a];
      while (order_[b] < order_[a]) b = result_[b];
    }
    return a;
  }

  std::uint32_t exit_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint32_t> order_, result_, postorder_;
};

}  // namespace

Targets lower(std::vector<Draft>& drafts,
              const std::unordered_map<std::string_view, std::uint32_t>& labels,
              std::string_view module) {
  std::vector<Draft> lowered;
  lowered.reserve(drafts.size() + 1);
  std::vector<std::uint32_t> moved(drafts.size() + 1);
  std::vector<std::uint32_t> around;  // branches added, which lead behind the next draft
  for (std::size_t n = 0; n < drafts.size(); ++n) {
    moved[n] = static_cast<std::uint32_t>(lowered.size());
    Draft& draft = drafts[n];
    if (draft.splits && draft.guard >= 0) {
      Draft branch;
      branch.code = branch_around();
      branch.guard = draft.guard;
      branch.code.guard_negated = !draft.code.guard_negated;
      branch.flow = Flow::kBranch;
      branch.place = draft.place;
      around.push_back(static_cast<std::uint32_t>(lowered.size()));
      lowered.push_back(std::move(branch));
      draft.guard = -1;
    }
    lowered.push_back(std::move(draft));
  }
  moved[drafts.size()] = static_cast<std::uint32_t>(lowered.size());
  Draft last;
  last.code = return_here();
  last.flow = Flow::kReturn;
  if (!lowered.empty()) last.place = lowered.back().place;
  lowered.push_back(std::move(last));
  drafts = std::move(lowered);

  Targets targets(drafts.size());
  for (std::size_t n = 0; n < drafts.size(); ++n) {
    for (const std::string_view label : drafts[n].labels) {
      const auto found = labels.find(label);
      if (found == labels.end()) {
        throw Refused(std::string(module) + ":" + std::to_string(drafts[n].place.line) +
                      ": the label '" + std::string(label) + "' is missing");
      }
      targets[n].push_back(moved[std::min<std::size_t>(found->second, moved.size() - 1)]);
    }
  }
  for (const std::uint32_t branch : around) targets[branch] = {branch + 2};
  return targets;
}

FlowGraph flow_of(const std::vector<Draft>& drafts, const Targets& targets, bool entry) {
  std::vector<bool> leads(drafts.size() + 1);
  leads[0] = true;
  for (std::size_t n = 0; n < drafts.size(); ++n) {
    for (const std::uint32_t target : targets[n]) leads[target] = true;
    if (ends_block(drafts[n])) leads[n + 1] = true;
  }
  FlowGraph graph;
  std::vector<std::uint32_t> block_of(drafts.size());
  for (std::uint32_t n = 0; n < drafts.size(); ++n) {
    if (leads[n]) graph.blocks.push_back({n, n, {}});
    graph.blocks.back().last = n;
    block_of[n] = static_cast<std::uint32_t>(graph.blocks.size() - 1);
  }
  for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
    FlowBlock& block = graph.blocks[b];
    const Draft& last = drafts[block.last];
    for (const std::uint32_t target : targets[block.last]) block.next.push_back(block_of[target]);
    const bool guarded = last.guard >= 0;
    const bool falls = !ends_block(last) || (last.flow != Flow::kReturn && guarded);
    if (falls && b + 1 < graph.blocks.size()) block.next.push_back(b + 1);
    // A join does not wait for lanes that end: an `exit` or `trap` on one side does not keep the
    // other lanes from meeting. An entry's lanes always end.
    if (last.flow == Flow::kReturn || (entry && last.flow == Flow::kExit && !guarded)) {
      block.next.push_back(kExitBlock);
    }
    std::sort(block.next.begin(), block.next.end());
    block.next.erase(std::unique(block.next.begin(), block.next.end()), block.next.end());
  }
  const PostDominators post_dominators(graph.blocks);
  for (std::uint32_t b = 0; b < graph.blocks.size(); ++b) {
    graph.post_dominator.push_back(post_dominators.of(b));
  }
  return graph;
}

void emit(std::vector<Draft>& drafts, const Targets& targets, const FlowGraph& graph,
          Function& function) {
  std::vector<std::uint32_t> meets(drafts.size(), kNoJoin);  // before which draft its ways do
  std::vector<bool> join_before(drafts.size() + 1);
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    const std::uint32_t last = graph.blocks[b].last;
    const bool parts = drafts[last].flow == Flow::kTable ||
                       (drafts[last].flow == Flow::kBranch && drafts[last].guard >= 0);
    const std::uint32_t where = graph.post_dominator[b];
    if (!parts || where == kNowhere) continue;
    if (where == kExitBlock) {
      if (!function.entry) meets[last] = Join::kAtReturn;
      continue;
    }
    meets[last] = graph.blocks[where].first;
    join_before[meets[last]] = true;
  }
  for (std::uint32_t n = 0; n < drafts.size(); ++n) {
    if (!drafts[n].indirect) continue;
    meets[n] = n + 1;
    join_before[n + 1] = true;
  }
  std::vector<std::uint32_t> at(drafts.size());
  std::uint32_t index = 0;
  for (std::size_t n = 0; n < drafts.size(); ++n) {
    at[n] = index;
    index += join_before[n] ? 2 : 1;
  }
  function.code.reserve(index);
  for (std::size_t n = 0; n < drafts.size(); ++n) {
    Draft& draft = drafts[n];
    if (join_before[n]) {
      function.code.push_back(join_at(at[n]));
      function.places.push_back(draft.place);
    }
    Instruction& i = draft.code;
    const std::uint32_t join = meets[n] < drafts.size() ? at[meets[n]] : meets[n];
    if (draft.flow == Flow::kBranch) {
      i.value = static_cast<std::int64_t>(at[targets[n].front()]) -
                static_cast<std::int64_t>(function.code.size());
      i.extra = join;
    } else if (draft.flow == Flow::kTable) {
      std::vector<std::uint32_t> table;
      for (const std::uint32_t target : targets[n]) table.push_back(at[target]);
      i.value = static_cast<std::int64_t>(function.tables.size());
      i.extra = join;
      function.tables.push_back(std::move(table));
    } else if (draft.indirect) {
      i.value = join;
    }
    function.code.push_back(i);
    function.places.push_back(draft.place);
  }
}

}  // namespace sim::ptx
