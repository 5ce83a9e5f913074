// A rate is the slowest rank's, because no step ends before that rank arrives.
#include "harness/run/look/pace.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"

namespace gridlock::run {
namespace {

constexpr std::size_t kMostLabels = 3;
// Bounds the memory if a program makes new labels in every step.
constexpr std::size_t kMostCounted = 1000;

}  // namespace

void Pace::look(std::span<const record::Snapshot> ranks, std::int64_t now_ns) {
  if (since_ns_ == 0) since_ns_ = now_ns;
  ranks_.resize(std::max(ranks_.size(), ranks.size()));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Rank& rank = ranks_[i];
    for (const record::Operation& operation : ranks[i].operations) {
      if (operation.index < rank.next) continue;
      rank.next = operation.index + 1;
      if (!record::is_communication(operation.call)) continue;
      ++rank.calls;
      const std::string label(operation.label.view());
      if (rank.labels.size() < kMostCounted || rank.labels.contains(label)) ++rank.labels[label];
    }
  }
}

std::string Pace::tell(std::int64_t now_ns) {
  if (ranks_.empty()) return "no calls";
  const auto by_calls = [](const Rank& one, const Rank& other) { return one.calls < other.calls; };
  const auto [slowest, fastest] = std::minmax_element(ranks_.begin(), ranks_.end(), by_calls);
  std::vector<std::pair<std::uint64_t, std::string>> labels;
  for (const auto& [label, count] : slowest->labels) labels.emplace_back(count, label);
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  labels.resize(std::min(labels.size(), kMostLabels));
  const double time_s = static_cast<double>(std::max<std::int64_t>(now_ns - since_ns_, 1)) / 1e9;
  std::string text;
  for (const auto& [count, label] : labels) {
    text += fmt::format("{}{} {:.1f}/s", text.empty() ? "" : ", ",
                        label.empty() ? "calls without a label" : on_one_line(label),
                        static_cast<double>(count) / time_s);
  }
  if (text.empty()) text = "no calls";
  if (slowest->calls < fastest->calls) {
    text += fmt::format("; rank {} is slowest, {} calls behind", slowest - ranks_.begin(),
                        fastest->calls - slowest->calls);
  }
  for (Rank& rank : ranks_) rank.labels.clear();
  since_ns_ = now_ns;
  return text;
}

}  // namespace gridlock::run
