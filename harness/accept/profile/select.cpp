// Selects checks by tag, then every n-th of the rest.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "harness/accept/profile/plan.h"
#include "harness/base/error.h"
#include "harness/base/names.h"

namespace gridlock::accept {
namespace {

bool has_any(const Check& check, const std::vector<std::string>& tags) {
  return std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
    return std::count(check.tags.begin(), check.tags.end(), tag) > 0;
  });
}

void require_known(const std::vector<Check>& checks, const std::vector<std::string>& tags) {
  std::set<std::string> all;
  for (const Check& check : checks) all.insert(check.tags.begin(), check.tags.end());
  const std::vector<std::string> known(all.begin(), all.end());
  for (const std::string& tag : tags) {
    if (all.count(tag) > 0) continue;
    const std::string near = nearest(tag, known);
    throw UsageError(fmt::format("no check has the tag \"{}\"; {}", tag,
                                 near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                              : fmt::format("did you mean {}?", near)));
  }
}

}  // namespace

std::vector<Check> select(std::vector<Check> checks, const Selection& selection) {
  require_known(checks, selection.tags);
  require_known(checks, selection.skip_tags);
  std::erase_if(checks, [&](const Check& check) {
    return (!selection.tags.empty() && !has_any(check, selection.tags)) ||
           has_any(check, selection.skip_tags);
  });
  std::vector<Check> mine;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (static_cast<int>(i) % selection.shards == selection.shard - 1) {
      mine.push_back(std::move(checks[i]));
    }
  }
  if (mine.empty()) {
    throw UsageError(
        "these tags and this shard leave none of the profile's checks; "
        "gridlock accept --dry-run shows all of them");
  }
  return mine;
}

void parse_shard(const std::string& text, Selection& selection) {
  const char* const end = text.data() + text.size();
  const auto [slash, one] = std::from_chars(text.data(), end, selection.shard);
  const bool has_both = one == std::errc() && slash != end && *slash == '/';
  const auto [stop, two] = std::from_chars(has_both ? slash + 1 : end, end, selection.shards);
  if (!has_both || two != std::errc() || stop != end || selection.shards < 1 ||
      selection.shard < 1 || selection.shard > selection.shards) {
    throw UsageError(
        fmt::format("\"{}\" is not a shard; write which one of how many, from 1 on: 2/3", text));
  }
}

}  // namespace gridlock::accept
