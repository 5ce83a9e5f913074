// Reads a profile from TOML, and checks each value where it reads it.
#include "harness/accept/profile/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/accept/profile/quantity.h"
#include "harness/accept/profile/section.h"
#include "harness/base/duration.h"
#include "harness/base/names.h"

namespace gridlock::accept {
namespace {

// What the collective benchmark can do.
struct Operation {
  const char* name;
  bool has_in_place;
  bool is_a_ranks_own;  // a rank's figure is its own, and not that of the slowest
};
constexpr std::array kOperations{
    Operation{"all_reduce", true, false},     Operation{"all_gather", true, false},
    Operation{"reduce_scatter", true, false}, Operation{"broadcast", true, false},
    Operation{"send_recv", false, false},     Operation{"all_to_all", false, false},
    Operation{"pair", false, true},           Operation{"copy", false, true},
};

constexpr Duration kUsualLimit = std::chrono::hours(1);
constexpr Duration kUsualCheckLimit = std::chrono::minutes(5);

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = nearest(word, names);
  return near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                      : fmt::format("did you mean {}?", near);
}

int number_of_ranks(const Section& section, const toml::node& node) {
  if (const auto* number = node.as_integer()) {
    if (number->get() >= 1 && number->get() <= kMaxRanks) {
      return static_cast<int>(number->get());
    }
    section.refuse(line_of(node), fmt::format("{} is not a number of ranks; give one from 1 to {}",
                                              number->get(), kMaxRanks));
  }
  const auto* text = node.as_string();
  if (text != nullptr && text->get() == "gpus") return kOnePerGpu;
  section.refuse(line_of(node),
                 "ranks must be a number, a list of numbers, or \"gpus\" for one on each GPU");
}

std::vector<int> ranks_of(Section& section) {
  const toml::node* node = section.node("ranks");
  if (node == nullptr) return {};
  const auto* list = node->as_array();
  if (list == nullptr) return {number_of_ranks(section, *node)};
  std::vector<int> ranks;
  for (const toml::node& element : *list) ranks.push_back(number_of_ranks(section, element));
  if (ranks.empty()) section.refuse(line_of(*node), "ranks is an empty list");
  return ranks;
}

int repeat_of(Section& section, int usual) {
  const toml::node* node = section.node("repeat");
  if (node == nullptr) return usual;
  const auto* number = node->as_integer();
  if (number == nullptr || number->get() < 1 || number->get() > kMaxRepetitions) {
    section.refuse(line_of(*node),
                   fmt::format("repeat must be a whole number from 1 to {}", kMaxRepetitions));
  }
  return static_cast<int>(number->get());
}

// `usual` holds the values from the top of the profile.
Common common_of(Section& section, const Common& usual) {
  Common common = usual;
  common.line = section.line();
  if (auto ranks = ranks_of(section); !ranks.empty()) common.ranks = std::move(ranks);
  common.repeat = repeat_of(section, usual.repeat);
  if (const auto limit = section.parsed("limit", parse_duration)) common.limit = *limit;
  if (const auto tags = section.texts("tags")) {
    for (const Word& tag : *tags) common.tags.push_back(tag.text);
  }
  common.needed = section.flag("needed").value_or(true);
  return common;
}

Scenarios scenarios_of(Section section, const Common& usual) {
  Scenarios entry;
  entry.common = common_of(section, usual);
  const auto names = section.texts("run");
  section.finish();
  if (!names) {
    section.refuse(section.line(),
                   "[[scenario]] lacks the key run, for example run = [\"uneven_batches/*\"]");
  }
  entry.run = *names;
  return entry;
}

Floors floors_of(Section& section) {
  Floors floors;
  floors.least = section.parsed("floor", parse_bandwidth);
  floors.share = section.parsed("share_of_baseline", parse_share);
  floors.margin = section.parsed("outlier_margin", parse_share);
  return floors;
}

Collectives collectives_of(Section section, const Common& usual) {
  Collectives entry;
  entry.common = common_of(section, usual);
  const Word operation = section.needed_text("operation", "\"all_reduce\"");
  const auto sizes = section.texts("sizes");
  entry.in_place = section.flag("in_place").value_or(false);
  entry.floors = floors_of(section);
  section.finish();
  const auto* known =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const Operation& one) { return operation.text == one.name; });
  if (known == kOperations.end()) {
    std::vector<std::string> names;
    names.reserve(kOperations.size());
    for (const Operation& one : kOperations) names.emplace_back(one.name);
    section.refuse(operation.line, fmt::format("there is no operation \"{}\"; {}", operation.text,
                                               suggestion(operation.text, names)));
  }
  entry.operation = operation.text;
  entry.is_a_ranks_own = known->is_a_ranks_own;
  if (entry.in_place && !known->has_in_place) {
    section.refuse(section.line(), fmt::format("{} has no in-place form", entry.operation));
  }
  if (!sizes) {
    section.refuse(section.line(),
                   "[[collective]] lacks the key sizes, for example sizes = [\"64MiB\"]");
  }
  for (const Word& size : *sizes) entry.sizes.push_back(section.located(size, parse_size));
  if (entry.floors.margin && !known->is_a_ranks_own) {
    section.refuse(section.line(),
                   fmt::format("outlier_margin goes with the operations pair and copy, whose "
                               "figures are a rank's own: in {} all ranks wait for the slowest",
                               entry.operation));
  }
  return entry;
}

double speed_up_of(const Section& section, const toml::node& element) {
  const auto number = element.value<double>();
  if (!element.is_number() || !number || *number <= 0) {
    section.refuse(line_of(element), "speed_up must be a range of positive numbers, [1.8, 1.9]");
  }
  return *number;
}

Scaling scaling_of(Section section, const Common& usual) {
  Scaling entry;
  entry.common = common_of(section, usual);
  const toml::node* range = section.node("speed_up");
  section.finish();
  const toml::array* list = range == nullptr ? nullptr : range->as_array();
  if (list == nullptr || list->size() != 2) {
    section.refuse(range == nullptr ? section.line() : line_of(*range),
                   "[[scaling]] needs speed_up = [least, usual], for example [1.8, 1.9]");
  }
  entry.least = speed_up_of(section, *list->get(0));
  entry.usual = speed_up_of(section, *list->get(1));
  if (entry.usual < entry.least) {
    section.refuse(line_of(*range),
                   fmt::format("the range {} to {} is upside down", entry.least, entry.usual));
  }
  return entry;
}

Soak soak_of(Section section, const Common& usual) {
  Soak entry;
  entry.common = common_of(section, usual);
  const Word time = section.needed_text("for", "\"10min\"");
  entry.time = section.located(time, parse_duration);
  if (entry.time >= entry.common.limit) {
    section.refuse(time.line,
                   fmt::format("a soak of {} does not fit into its check's limit of {}; give it a "
                               "longer limit of its own, limit = \"...\"",
                               duration_text(entry.time), duration_text(entry.common.limit)));
  }
  if (const auto names = section.texts("run")) entry.run = *names;
  entry.delays = section.flag("delays").value_or(true);
  section.finish();
  return entry;
}

Waiver waiver_of(Section section, std::chrono::year_month_day today) {
  Waiver waiver;
  waiver.check = section.needed_text("check", "\"all_reduce/*\"");
  waiver.reason = section.needed_text("reason", "\"one link is down until it is replaced\"").text;
  const auto until = section.date("until");
  section.finish();
  if (!until) {
    section.refuse(section.line(),
                   "[[waiver]] lacks the key until, the last day it holds: until = 2027-01-31");
  }
  waiver.until = *until;
  if (waiver.until < today) {
    section.refuse(section.line(),
                   fmt::format("the waiver of {} ended on {}; renew it, or remove it and let the "
                               "check count",
                               waiver.check.text, date_text(waiver.until)));
  }
  return waiver;
}

ExpectedFailure expected_of(Section section) {
  ExpectedFailure expected;
  expected.check = section.needed_text("check", "\"all_reduce/*\"");
  expected.ticket = section.needed_text("ticket", "\"OPS-123\"").text;
  section.finish();
  return expected;
}

Profile profile_of(Section top, const std::string& file, std::chrono::year_month_day today) {
  static const std::vector<std::string> kBackends{"auto", "sim", "cuda"};
  Profile profile;
  profile.file = file;
  profile.summary = top.needed_text("summary", "\"all GPUs of a node\"").text;
  if (const auto backend = top.text("backend")) {
    if (std::count(kBackends.begin(), kBackends.end(), backend->text) == 0) {
      top.refuse(backend->line, fmt::format("there is no back end \"{}\"; {}", backend->text,
                                            suggestion(backend->text, kBackends)));
    }
    profile.backend = backend->text;
  }
  profile.limit = top.parsed("limit", parse_duration).value_or(kUsualLimit);
  profile.baseline = top.text("baseline").value_or(Word{});
  Common usual;
  usual.ranks = ranks_of(top);
  if (usual.ranks.empty()) usual.ranks = {kOnePerGpu};
  usual.repeat = repeat_of(top, 1);
  usual.limit = top.parsed("check_limit", parse_duration).value_or(kUsualCheckLimit);
  for (Section& section : top.sections("scenario")) {
    profile.scenarios.push_back(scenarios_of(std::move(section), usual));
  }
  for (Section& section : top.sections("collective")) {
    profile.collectives.push_back(collectives_of(std::move(section), usual));
  }
  for (Section& section : top.sections("scaling")) {
    profile.scaling.push_back(scaling_of(std::move(section), usual));
  }
  for (Section& section : top.sections("soak")) {
    profile.soak.push_back(soak_of(std::move(section), usual));
  }
  for (Section& section : top.sections("waiver")) {
    profile.waivers.push_back(waiver_of(std::move(section), today));
  }
  for (Section& section : top.sections("expected_failure")) {
    profile.expected_failures.push_back(expected_of(std::move(section)));
  }
  top.finish();
  if (profile.scenarios.empty() && profile.collectives.empty() && profile.scaling.empty() &&
      profile.soak.empty()) {
    top.refuse(1,
               "the profile has no check; give it a [[scenario]], [[collective]], "
               "[[scaling]] or [[soak]]");
  }
  return profile;
}

}  // namespace

std::string date_text(std::chrono::year_month_day day) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string at_line(const std::string& file, int line, const std::string& sentence) {
  return fmt::format("{}:{}: {}", file, line, sentence);
}

Profile parse_profile(const std::string& text, const std::string& file,
                      std::chrono::year_month_day today) {
  try {
    const toml::table table = toml::parse(text, file);
    return profile_of(Section(table, file, ""), file, today);
  } catch (const toml::parse_error& error) {
    throw UsageError(at_line(file, static_cast<int>(error.source().begin.line),
                             fmt::format("this is not TOML: {}", error.description())));
  }
}

}  // namespace gridlock::accept
