// Asks a rule if all runs that it needs exist and agree.
#include "harness/claims/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace gridlock::claims {
namespace {

using report::Group;
using report::Run;

bool fits(const std::string& id, const Claim& claim) {
  const std::string wanted = upper(id);
  return wanted == claim.id || (wanted.size() == 1 && wanted.front() == claim.id.front());
}

std::vector<Needed> needed_for(const Claim& claim) {
  std::vector<Needed> needed;
  for (const std::string_view variant : claim.variants) {
    if (claim.ranks.empty()) needed.push_back({.variant = std::string(variant), .ranks = 0});
    for (const int ranks : claim.ranks) needed.push_back({std::string(variant), ranks});
  }
  return needed;
}

bool is_at(const Run& run, int ranks) { return ranks == 0 || run.ranks == ranks; }

// Why there is no run of it. Empty if there is one.
std::string why_missing(const Needed& needed, const Evidence& runs) {
  const std::string name = needed.ranks == 0
                               ? needed.variant
                               : fmt::format("{} with {} ranks", needed.variant, needed.ranks);
  const Run* attempt = nullptr;
  for (const Run* run : runs.attempts(needed.variant)) {
    if (!is_at(*run, needed.ranks)) continue;
    if (run->status == report::Status::judged) return {};
    attempt = run;
  }
  if (attempt == nullptr) return fmt::format("no run of {}", name);
  return fmt::format("{}: {}: {}", name,
                     attempt->status == report::Status::skipped ? "skipped" : "harness error",
                     attempt->reason);
}

// Groups outcomes that a person would call the same end.
int end_of(const Run& run) {
  using detect::Outcome;
  switch (run.verdict.outcome) {
    case Outcome::deadlock:
    case Outcome::stall:
      return 1;
    case Outcome::fails:
    case Outcome::crashes:
      return 2;
    case Outcome::corrupts:
      return 3;
    case Outcome::running:
    case Outcome::completes:
      break;
  }
  return 0;
}

std::string disagreement(const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    const auto other = std::find_if(group.runs.begin(), group.runs.end(), [&](const Run* run) {
      return end_of(*run) != end_of(*group.runs.front());
    });
    if (other != group.runs.end()) {
      return fmt::format("repetitions of {} disagree: {}", group.name, verdicts_text(group));
    }
  }
  return {};
}

// The runs that count for a claim, grouped by variant and number of ranks.
std::vector<Group> groups_for(const Claim& claim, const Evidence& runs) {
  std::vector<Group> groups;
  for (const std::string_view variant : claim.variants) {
    for (const Run* run : runs.runs(variant)) {
      const std::string name = report::full_name(*run);
      auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        return group.name == name && group.ranks == run->ranks;
      });
      if (found == groups.end()) {
        groups.push_back({.name = name, .role = run->role, .ranks = run->ranks, .runs = {}});
        found = groups.end() - 1;
      }
      found->runs.push_back(run);
    }
  }
  return groups;
}

Answer answer(const Claim& claim, const Evidence& runs, const std::vector<Group>& groups) {
  std::string missing;
  for (const Needed& needed : needed_for(claim)) {
    const std::string why = why_missing(needed, runs);
    if (!why.empty()) missing += (missing.empty() ? "" : "; ") + why;
  }
  if (!missing.empty()) return undecided(std::move(missing));
  if (std::string text = disagreement(groups); !text.empty()) return undecided(std::move(text));
  return claim.rule(runs);
}

Decided decide(const Claim& claim, const Evidence& runs) {
  Decided decided{
      .claim = &claim, .answer = {}, .shown_by = groups_for(claim, runs), .as_predicted = {}};
  decided.answer = answer(claim, runs, decided.shown_by);
  const Kind kind = decided.answer.kind;
  if (kind != Kind::undecided && kind != Kind::needs_gpu && claim.predicted != Kind::needs_gpu) {
    decided.as_predicted = kind == claim.predicted;
  }
  return decided;
}

}  // namespace

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::confirmed:
      return "confirmed";
    case Kind::refuted:
      return "refuted";
    case Kind::only_if:
      return "holds only if";
    case Kind::needs_gpu:
      return "needs a GPU";
    case Kind::undecided:
      break;
  }
  return "undecided";
}

const std::vector<Claim>& all_claims() {
  static const std::vector<Claim> kAll = [] {
    std::vector<Claim> all;
    for (std::vector<Claim>& note : std::array{note_a(), note_b(), note_c(), note_d(), note_e()}) {
      std::move(note.begin(), note.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kAll;
}

std::vector<const Claim*> select(const std::vector<std::string>& ids,
                                 std::vector<std::string>& unknown) {
  const std::vector<Claim>& all = all_claims();
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(unknown), [&](const std::string& id) {
    return std::none_of(all.begin(), all.end(),
                        [&](const Claim& claim) { return fits(id, claim); });
  });
  std::vector<const Claim*> selected;
  for (const Claim& claim : all) {
    if (ids.empty() || std::any_of(ids.begin(), ids.end(),
                                   [&](const std::string& id) { return fits(id, claim); })) {
      selected.push_back(&claim);
    }
  }
  return selected;
}

std::vector<Needed> needed_for(const std::vector<const Claim*>& claims) {
  std::vector<Needed> all;
  for (const Claim* claim : claims) {
    for (Needed& needed : needed_for(*claim)) {
      if (std::count(all.begin(), all.end(), needed) == 0) all.push_back(std::move(needed));
    }
  }
  return all;
}

std::vector<Decided> decide(const std::vector<const Claim*>& claims,
                            const report::Results& results) {
  const Evidence runs(results);
  std::vector<Decided> all;
  all.reserve(claims.size());
  std::transform(claims.begin(), claims.end(), std::back_inserter(all),
                 [&](const Claim* claim) { return decide(*claim, runs); });
  return all;
}

}  // namespace gridlock::claims
