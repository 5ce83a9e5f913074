// Reads a results folder and writes its page. Anybody may have written the files in it.
#include "harness/session/results/page.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "harness/accept/formats/json.h"
#include "harness/accept/formats/sheet.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/json.h"
#include "harness/report/page/timeline.h"
#include "harness/session/console.h"
#include "harness/session/results/kept_run.h"
#include "harness/session/results/load.h"
#include "harness/session/results/timelines.h"

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScenarios = "scenarios.json";
constexpr std::uintmax_t kMostOfAll = std::uintmax_t{64} << 20U;  // timelines of a page together
constexpr std::uintmax_t kMostText = std::uintmax_t{16} << 20U;   // of any other file
constexpr std::size_t kShownOutput = 12'000;                      // bytes of the ranks' output

// The content of a regular file of at most `most` bytes; nothing if there is no such file. If the
// file exists but cannot be used, `why` gets a sentence.
std::optional<std::string> bounded(const fs::path& file, std::uintmax_t most, std::string& why) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_regular_file(status)) {
    why = fmt::format("{} is not shown: it is no file.", file.string());
    return {};
  }
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > most) {
    why = fmt::format("{} is not shown: it is larger than {} MiB.", file.string(), most >> 20U);
    return {};
  }
  try {
    return read_file(file);
  } catch (const UsageError& failed) {
    why = fmt::format("{} is not shown: {}.", file.string(), failed.what());
    return {};
  }
}

// Keeps the beginning and the end of a long text.
std::string shortened(std::string text) {
  if (text.size() <= kShownOutput) return text;
  const std::size_t half = kShownOutput / 2;
  return fmt::format("{}\n… {} bytes are left out …\n{}", text.substr(0, half),
                     text.size() - 2 * half, text.substr(text.size() - half));
}

class Reader {
 public:
  Reader(fs::path folder, report::Page& page) : folder_(std::move(folder)), page_(page) {}

  void scenarios() {
    const auto text = take(folder_ / kScenarios, kMostText);
    if (!text) return;
    try {
      page_.scenarios = report::scenarios_from_json(*text);
    } catch (const report::BadResults& error) {
      page_.missing.push_back(fmt::format("Lessons and code are not shown: {} is damaged ({}).",
                                          (folder_ / kScenarios).string(), error.what()));
    }
  }

  void run(const std::string& id, const report::Run& run) {
    const std::string name = run_name(run);
    const fs::path file = folder_ / kTimelines / (name + ".json");
    if (auto text = take(file, report::kMostTimelineBytes)) add_timeline(id, file, *text);
    if (auto text = take(folder_ / "runs" / name / kKeptOutput, kMostText)) {
      page_.outputs[id] = shortened(std::move(*text));
    }
  }

 private:
  std::optional<std::string> take(const fs::path& file, std::uintmax_t most) {
    std::string why;
    auto text = bounded(file, most, why);
    if (!why.empty()) page_.missing.push_back(why);
    return text;
  }

  void add_timeline(const std::string& id, const fs::path& file, std::string& text) {
    const std::string fault = report::timeline_fault(text);
    if (!fault.empty()) {
      page_.missing.push_back(
          fmt::format("The timeline {} is not shown: {}.", file.string(), fault));
    } else if (taken_ + text.size() > kMostOfAll) {
      page_.missing.push_back(fmt::format(
          "The timeline {} is not shown: those before it fill the page.", file.string()));
    } else {
      taken_ += text.size();
      page_.timelines[id] = std::move(text);
    }
  }

  fs::path folder_;
  report::Page& page_;
  std::uintmax_t taken_ = 0;
};

// Whether a file of that name exists and is not one of our pages.
bool is_foreign(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return false;
  std::string head(200, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in.gcount() > 0 && head.find(report::kPageMark) == std::string::npos;
}

// Says what the page cannot show. A page with many such things lists them.
void tell_missing(const std::vector<std::string>& missing) {
  if (missing.empty()) return;
  fmt::print(
      stderr, "gridlock: the page does not show all: {}{}\n", on_one_line(missing.front()),
      missing.size() == 1 ? "" : fmt::format(" It lists {} more things.", missing.size() - 1));
}

// The page of an acceptance or a soak: its answer, and the runs that differed.
report::Page page_of_answer(const fs::path& folder, report::Sheet answer,
                            const report::Context& context) {
  report::Results odd;
  if (fs::exists(folder / kOddRuns)) odd = load_results(folder / kOddRuns);
  odd.context = context;
  report::Page page = page_of(folder, std::move(odd));
  page.answer = std::move(answer);
  return page;
}

}  // namespace

void keep_scenarios(const fs::path& folder, const std::vector<catalogue::Planned>& plan) {
  std::vector<report::ScenarioText> all;
  std::set<std::string> seen;
  for (const catalogue::Planned& planned : plan) {
    const catalogue::Scenario& scenario = *planned.scenario;
    if (!scenario.fault.empty() || !seen.insert(scenario.name).second) continue;
    report::ScenarioText& one = all.emplace_back();
    one.name = scenario.name;
    one.summary = scenario.summary;
    one.lesson = scenario.lesson;
    one.source_file = scenario.source_file;
    one.source = scenario.source;
    one.claims = scenario.claims;
    for (const catalogue::Variant& variant : scenario.variants) {
      one.variants.push_back(
          {.name = variant.name, .role = variant.role, .summary = variant.summary});
    }
  }
  try {
    write_file(folder / kScenarios, report::to_json(all));
  } catch (const MachineError& error) {
    fmt::print(stderr, "gridlock: the page will show no code: {}\n", error.what());
  }
}

report::Page page_of(const fs::path& folder, report::Results results) {
  report::Page page;
  page.results = std::move(results);
  Reader reader(folder, page);
  reader.scenarios();
  const std::vector<report::Group> groups = report::groups_of(page.results.runs);
  for (const auto& [id, group] : report::pages_of(groups)) {
    reader.run(id, report::told_of(group->runs));
  }
  return page;
}

report::Page load_page(const fs::path& folder) {
  if (fs::exists(folder / "results.json")) return page_of(folder, load_results(folder));
  std::string why;
  if (const fs::path file = folder / "acceptance.json"; fs::exists(file)) {
    const auto text = bounded(file, kMostText, why);
    if (!text) throw UsageError(why);
    const accept::Acceptance acceptance = accept::acceptance_from_json(*text, file.string());
    return page_of_answer(folder, accept::sheet_of(acceptance), acceptance.context);
  }
  if (const fs::path file = folder / "soak.json"; fs::exists(file)) {
    const auto text = bounded(file, kMostText, why);
    if (!text) throw UsageError(why);
    accept::SoakSheet soak = accept::soak_sheet(*text, file.string());
    return page_of_answer(folder, std::move(soak.sheet), soak.context);
  }
  throw UsageError(
      fmt::format("there are no results at {}: no results.json, acceptance.json or soak.json",
                  folder.string()));
}

fs::path write_page(const fs::path& folder, const report::Page& page, bool is_book) {
  fs::path file = folder / (is_book ? kBook : kPage);
  if (is_foreign(file)) {
    fmt::print(stderr,
               "gridlock: {} is not a page of Gridlock's and stays as it is; choose another "
               "folder with --output\n",
               file.string());
    return {};
  }
  try {
    write_file(file, is_book ? report::to_book(page) : report::to_html(page));
    tell_missing(page.missing);
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "gridlock: the page was not written: {}; make room, then `gridlock report {}` "
               "writes it\n",
               error.what(), folder.string());
    return {};
  }
  return file;
}

void show_page(const fs::path& folder, const report::Page& page, bool open) {
  const fs::path file = write_page(folder, page);
  if (file.empty()) return;
  print(fmt::format("Page: {}\n", file.string()));
  if (open) open_page(file);
}

void show_answer(const fs::path& folder, report::Sheet answer, const report::Context& context,
                 const std::vector<report::Run>& odd, bool open) {
  const report::Results results{.context = context, .runs = odd};
  try {
    if (!odd.empty()) write_file(folder / kOddRuns, report::to_json(results));
  } catch (const MachineError& error) {
    fmt::print(stderr, "gridlock: {}\n", error.what());
  }
  report::Page page = page_of(folder, results);
  page.answer = std::move(answer);
  show_page(folder, page, open);
}

void open_page(const fs::path& page) {
  std::string opener = "xdg-open";
  std::string file = fs::absolute(page).string();
  char* const command[] = {opener.data(), file.data(), nullptr};
  pid_t opened = 0;
  int status = 0;
  const bool started =
      posix_spawnp(&opened, opener.c_str(), nullptr, nullptr, command, environ) == 0;
  if (started) waitpid(opened, &status, 0);
  if (!started || status != 0) {
    fmt::print(stderr, "gridlock: no browser was opened (xdg-open); open {} yourself\n", file);
  }
}

}  // namespace gridlock::session
