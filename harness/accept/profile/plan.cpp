// Expands a profile's entries: scenarios by variant and ranks, collectives by size and ranks.
#include "harness/accept/profile/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/accept/profile/quantity.h"
#include "harness/base/error.h"
#include "harness/base/names.h"

namespace gridlock::accept {
namespace {

constexpr const char* kTrainer = "healthy_training";
constexpr const char* kScaling = "scaling";

class Planner {
 public:
  Planner(const Profile& profile, const Setting& setting, const Find& find)
      : profile_(profile), setting_(setting), find_(find) {}

  std::vector<Check> all() {
    for (const Scenarios& entry : profile_.scenarios) add(entry);
    for (const Collectives& entry : profile_.collectives) add(entry);
    for (const Scaling& entry : profile_.scaling) add(entry);
    for (const Soak& entry : profile_.soak) add(entry);
    for (const Waiver& waiver : profile_.waivers) {
      excuse(waiver.check,
             {.kind = Excuse::Kind::waived,
              .why = fmt::format("{} (until {})", waiver.reason, date_text(waiver.until))});
    }
    for (const ExpectedFailure& expected : profile_.expected_failures) {
      excuse(expected.check, {.kind = Excuse::Kind::expected, .why = "ticket " + expected.ticket});
    }
    return std::move(checks_);
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& sentence) const {
    throw UsageError(at_line(profile_.file, line, sentence));
  }

  int number(int ranks) const { return ranks == kOnePerGpu ? std::max(setting_.gpus, 1) : ranks; }

  // `ranks` is the profile's value.
  Check check_of(const Common& common, Kind kind, int ranks) const {
    Check check;
    check.kind = kind;
    check.line = common.line;
    check.ranks = number(ranks);
    check.one_per_gpu = ranks == kOnePerGpu;
    check.repeat = common.repeat;
    check.limit = common.limit;
    check.tags = common.tags;
    check.tags.emplace_back(to_string(kind));
    check.needed = common.needed;
    return check;
  }

  void add(Check check, const std::string& name) {
    check.id = fmt::format("{}@{}", name, check.ranks);
    const bool lacks_gpu = setting_.backend == "cuda" && setting_.gpus == 0;
    if (lacks_gpu) check.cannot = setting_.no_gpus;
    const auto same = std::find_if(checks_.begin(), checks_.end(),
                                   [&](const Check& other) { return other.id == check.id; });
    if (same != checks_.end()) {
      // With another number of GPUs, the two checks would differ, so the first one stands.
      if (check.one_per_gpu || same->one_per_gpu) return;
      refuse(check.line,
             fmt::format("line {1} asks for the check {0} too; remove one", check.id, same->line));
    }
    checks_.push_back(std::move(check));
  }

  std::vector<Found> found(const Word& pattern, int ranks) const {
    try {
      return find_(pattern.text, ranks);
    } catch (const UsageError& error) {
      refuse(pattern.line, error.what());
    }
  }

  void add(const Scenarios& entry) {
    for (const Word& pattern : entry.run) {
      for (const int ranks : entry.common.ranks) {
        for (const Found& one : found(pattern, number(ranks))) {
          Check check = check_of(entry.common, Kind::scenario, ranks);
          check.scenario = one.scenario;
          check.variant = one.variant;
          check.cannot = one.needs;
          add(std::move(check), one.scenario + "/" + one.variant);
        }
      }
    }
  }

  void add(const Collectives& entry) {
    if (entry.floors.share && !setting_.has_baseline) {
      refuse(entry.common.line,
             fmt::format("the floor of {} is a share of a baseline, and there is none; give "
                         "--baseline FILE, or the key baseline at the top of the profile",
                         entry.operation));
    }
    for (const int ranks : entry.common.ranks) {
      for (const std::uint64_t bytes : entry.sizes) {
        Check check = check_of(entry.common, Kind::collective, ranks);
        check.operation = entry.operation;
        check.in_place = entry.in_place;
        check.is_a_ranks_own = entry.is_a_ranks_own;
        check.bytes = bytes;
        check.floors = entry.floors;
        if (!setting_.has_benchmark) {
          check.cannot =
              "the collective benchmark is not part of this installation; build with "
              "GRIDLOCK_BENCHMARKS=ON";
        } else if (check.ranks < 2 && entry.operation != "copy") {
          check.cannot = fmt::format("{} between ranks needs at least 2 ranks", entry.operation);
        }
        add(std::move(check), fmt::format("{}{}/{}", entry.operation,
                                          entry.in_place ? "/in_place" : "", size_text(bytes)));
      }
    }
  }

  void add(const Scaling& entry) {
    for (const int ranks : entry.common.ranks) {
      Check check = check_of(entry.common, Kind::scaling, ranks);
      check.scenario = kTrainer;
      check.variant = kScaling;
      check.least_speed_up = entry.least;
      check.usual_speed_up = entry.usual;
      if (setting_.backend != "cuda") {
        check.cannot =
            "a speed-up needs a GPU for each rank; simulated ranks share this machine's processors";
      } else if (setting_.gpus > 0 && setting_.gpus < check.ranks) {
        check.cannot = fmt::format("a speed-up on {} ranks needs {} GPUs, and there are {}",
                                   check.ranks, check.ranks, setting_.gpus);
      }
      add(std::move(check), kScaling);
    }
  }

  void add(const Soak& entry) {
    for (const int ranks : entry.common.ranks) {
      Check check = check_of(entry.common, Kind::soak, ranks);
      check.soak = entry.time;
      check.delays = entry.delays;
      for (const Word& name : entry.run) {
        found(name, check.ranks);  // complains
        check.soak_names.push_back(name.text);
      }
      add(std::move(check), "soak");
    }
  }

  // A name that fits nothing is refused: it might fit another check one day.
  void excuse(const Word& pattern, const Excuse& excuse) {
    bool fits = false;
    std::vector<std::string> ids;
    for (Check& check : checks_) {
      ids.push_back(check.id.substr(0, check.id.rfind('@')));
      if (!names(pattern.text, check)) continue;
      fits = true;
      check.excuse = excuse;
    }
    if (fits) return;
    const std::string near = nearest(pattern.text, ids);
    refuse(pattern.line, fmt::format("no check is called \"{}\"; {}", pattern.text,
                                     near.empty() ? "gridlock accept --dry-run names them all"
                                                  : fmt::format("did you mean {}?", near)));
  }

  const Profile& profile_;
  const Setting& setting_;
  const Find& find_;
  std::vector<Check> checks_;
};

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::collective:
      return "collective";
    case Kind::scaling:
      return "scaling";
    case Kind::soak:
      return "soak";
    case Kind::scenario:
      break;
  }
  return "scenario";
}

bool names(const std::string& pattern, const Check& check) {
  return fits(pattern, check.id) || fits(pattern, check.id.substr(0, check.id.rfind('@')));
}

std::vector<Check> plan(const Profile& profile, const Setting& setting, const Find& find) {
  return Planner(profile, setting, find).all();
}

}  // namespace gridlock::accept
