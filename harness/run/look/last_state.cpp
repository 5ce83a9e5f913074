// Makes a phrase per rank, and groups ranks with equal phrases.
#include "harness/run/look/last_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/text.h"
#include "harness/detect/words/calls.h"

namespace gridlock::run {
namespace {

using record::ProcessState;

std::string last_operation(const record::Snapshot& snapshot) {
  const auto newest = std::find_if(
      snapshot.operations.rbegin(), snapshot.operations.rend(),
      [](const record::Operation& operation) { return is_communication(operation.call); });
  if (newest == snapshot.operations.rend()) return {};
  std::string text = ", after " + detect::call_text(newest->call, newest->slot);
  if (!newest->label.view().empty()) text += fmt::format(" \"{}\"", newest->label.view());
  if (newest->communicator < snapshot.communicators.size()) {
    const std::string& name = snapshot.communicators[newest->communicator].name;
    if (!name.empty()) text += " on " + name;
  }
  return text;
}

std::string state_of(const record::Snapshot& snapshot) {
  if (snapshot.process == ProcessState::exited && !snapshot.code_known) return "ended";
  if (snapshot.process == ProcessState::exited) {
    return fmt::format("exited with code {}", snapshot.exit_code);
  }
  if (snapshot.process == ProcessState::signaled) {
    return fmt::format("ended by signal {}", snapshot.exit_code);
  }
  if (snapshot.recorded == 0 && snapshot.threads.empty()) return "before the first recorded call";
  const auto waiting = std::find_if(
      snapshot.threads.begin(), snapshot.threads.end(),
      [](const record::Thread& thread) { return thread.waits != record::Waits::nothing; });
  const std::string host = waiting == snapshot.threads.end()
                               ? "in host code"
                               : fmt::format("in {}", to_string(waiting->call));
  return host + last_operation(snapshot);
}

}  // namespace

std::vector<StateGroup> state_groups(std::span<const record::Snapshot> snapshots,
                                     const std::vector<int>& ranks) {
  std::vector<StateGroup> groups;
  std::map<std::string, std::size_t> at;
  for (const int rank : ranks) {
    std::string state = state_of(snapshots[static_cast<std::size_t>(rank)]);
    const auto [known, is_new] = at.try_emplace(state, groups.size());
    if (is_new) groups.push_back({.ranks = {}, .state = std::move(state)});
    groups[known->second].ranks.push_back(rank);
  }
  return groups;
}

std::string last_state(std::span<const record::Snapshot> snapshots, const std::vector<int>& ranks) {
  std::string text;
  for (const StateGroup& group : state_groups(snapshots, ranks)) {
    text += (text.empty() ? "" : "; ") + ranks_text(group.ranks) + " " + group.state;
  }
  return text.empty() ? "it had no ranks of this run" : "last seen: " + text;
}

}  // namespace gridlock::run
