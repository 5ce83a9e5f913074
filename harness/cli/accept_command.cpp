// gridlock accept: plans, runs and reports a profile's checks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/accept/formats/json.h"
#include "harness/accept/formats/sheet.h"
#include "harness/accept/formats/text.h"
#include "harness/accept/profile/shipped.h"
#include "harness/base/error.h"
#include "harness/base/file_descriptor.h"
#include "harness/base/files.h"
#include "harness/cli/accept_options.h"
#include "harness/cli/command.h"
#include "harness/session/acceptor.h"
#include "harness/session/exit_code.h"
#include "harness/session/results/page.h"

namespace gridlock::cli {
namespace {

namespace fs = std::filesystem;

// What `ranks = "gpus"` means on the simulation.
constexpr int kSimulatedGpus = 4;

std::chrono::year_month_day today() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

int list_profiles(const fs::path& folder) {
  for (const std::string& name : accept::shipped(folder)) {
    const fs::path file = folder / (name + ".toml");
    const accept::Profile profile = accept::parse_profile(read_file(file), file.string(), today());
    session::print(fmt::format("{:<12} {}\n", name, profile.summary));
  }
  return session::kAsDeclared;
}

// A profile, its text and its file.
struct Source {
  std::string name;
  fs::path file;
  std::string text;
  accept::Profile profile;
};

Source source_of(const AcceptOptions& options, const fs::path& folder) {
  if (options.profiles.size() != 1) {
    throw UsageError("give one PROFILE; gridlock accept --list names the shipped ones");
  }
  Source source;
  source.file = accept::profile_file(folder, options.profiles.front());
  source.name = source.file.stem().string();
  source.text = read_file(source.file);
  source.profile = accept::parse_profile(source.text, source.file.string(), today());
  return source;
}

// The path of a profile's baseline is relative to the profile.
std::optional<accept::Baseline> baseline_of(const AcceptOptions& options, const Source& source) {
  const accept::Word& named = source.profile.baseline;
  if (!options.baseline.empty()) {
    const fs::path& file = options.baseline;
    return accept::baseline_from_json(read_file(file), file.string());
  }
  if (named.text.empty()) return {};
  const fs::path file = source.file.parent_path() / named.text;
  try {
    return accept::baseline_from_json(read_file(file), file.string());
  } catch (const UsageError& error) {
    throw UsageError(accept::at_line(
        source.profile.file, named.line,
        fmt::format("the baseline cannot be used: {}; write a new one with --write-baseline",
                    error.what())));
  }
}

accept::Setting setting_of(const session::Site& site, bool has_baseline) {
  accept::Setting setting;
  setting.backend = site.backend;
  setting.gpus = kSimulatedGpus;
  std::error_code error;
  if (site.gpus) {
    setting.gpus = site.gpus->count;
    setting.no_gpus = site.gpus->fault;
    if (!fs::exists(site.installation.scenarios(site.backend), error)) {
      setting.gpus = 0;
      setting.no_gpus =
          fmt::format("the back end {} is not part of this installation", site.backend);
    }
  }
  setting.has_baseline = has_baseline;
  setting.has_benchmark = fs::exists(site.installation.collectives(site.backend), error);
  return setting;
}

// If the back end has no programs here, the simulation's programs say what there would be to run.
session::CatalogueCache catalogue_of(const session::Site& site) {
  std::error_code error;
  const bool is_there = fs::exists(site.installation.scenarios(site.backend), error);
  return session::CatalogueCache(site.installation, is_there ? site.backend : "sim",
                                 site.nccl_origin());
}

accept::Selection selection_of(const AcceptOptions& options) {
  accept::Selection selection;
  selection.tags = options.tags;
  selection.skip_tags = options.skip_tags;
  if (!options.shard.empty()) accept::parse_shard(options.shard, selection);
  return selection;
}

accept::Facts facts_of(const session::Site& site, const report::Context& context,
                       std::optional<accept::Baseline> baseline) {
  accept::Facts facts;
  facts.host = context.host;
  facts.backend = context.backend;
  facts.gpu = context.gpu;
  facts.baseline = std::move(baseline);
  if (site.gpus) facts.gpus = site.gpus->devices;
  return facts;
}

// The finished checks of an interrupted run.
//   Errors   UsageError if it was a run of something else
accept::Acceptance earlier_of(const fs::path& folder, const std::string& digest) {
  const fs::path file = folder / "acceptance.json";
  accept::Acceptance earlier = accept::acceptance_from_json(read_file(file), file.string());
  if (earlier.digest != digest) {
    throw UsageError(fmt::format(
        "{} was begun with another profile, back end, NCCL, selection of checks or number of "
        "repetitions; give the same ones again, or start afresh in another folder with --output",
        folder.string()));
  }
  // A check that a limit prevented has no answer yet.
  std::erase_if(earlier.results, [](const accept::Result& result) {
    return result.answer == accept::Answer::infrastructure || (!result.was_run && result.needed);
  });
  return earlier;
}

void write_baseline(const fs::path& file, const accept::Acceptance& acceptance) {
  accept::Baseline baseline = accept::begin_baseline(acceptance.context);
  for (const accept::Result& result : acceptance.results) {
    if (result.kind != accept::Kind::collective || !result.figure) continue;
    report::Spread spread = result.figure->spread;
    constexpr double kGiga = 1e9;
    for (double* value : {&spread.median, &spread.least, &spread.greatest}) *value *= kGiga;
    baseline.figures[result.id] = spread;
  }
  if (baseline.figures.empty()) {
    throw MachineError(fmt::format("{} was not written: no collective of this run has a bandwidth",
                                   file.string()));
  }
  write_file(file, accept::to_json(baseline));
  session::print(
      fmt::format("Baseline of {} figures: {}\n", baseline.figures.size(), file.string()));
}

std::vector<accept::Check> checks_of(const AcceptOptions& options, const Source& source,
                                     const session::Site& site, session::CatalogueCache& catalogue,
                                     bool has_baseline) {
  const auto find = [&](const std::string& pattern, int ranks) {
    std::vector<accept::Found> found;
    for (const catalogue::Planned& planned : catalogue.find(pattern, ranks)) {
      found.push_back({.scenario = planned.scenario->name,
                       .variant = planned.variant->name,
                       .ranks = planned.ranks,
                       .needs = planned.variant->needs});
    }
    return found;
  };
  return accept::select(accept::plan(source.profile, setting_of(site, has_baseline), find),
                        selection_of(options));
}

// The part of an acceptance that is known before anything runs.
accept::Acceptance begun(const Source& source, const session::Site& site,
                         session::CatalogueCache& catalogue,
                         const std::vector<accept::Check>& checks, const accept::Bounds& bounds,
                         const std::optional<accept::Baseline>& baseline) {
  std::vector<std::string> parts{source.text, site.backend, fmt::format("{}", bounds.until_fail),
                                 baseline ? accept::to_json(*baseline) : ""};
  if (site.nccl) parts.push_back(site.nccl->version);
  std::vector<int> ranks;
  for (const accept::Check& check : checks) {
    parts.push_back(check.id);
    if (check.cannot.empty()) ranks.push_back(check.ranks);
  }
  accept::Acceptance acceptance;
  acceptance.context = context_of(site, ranks, &catalogue.any());
  acceptance.profile = source.name;
  acceptance.summary = source.profile.summary;
  acceptance.digest = accept::digest_of(parts);
  acceptance.planned = static_cast<int>(checks.size());
  return acceptance;
}

int concluded(const AcceptOptions& options, const accept::Acceptance& acceptance,
              const fs::path& folder) {
  if (!acceptance.ended.empty()) {
    throw MachineError(fmt::format(
        "{} after {} of {} checks; continue with gridlock accept {}{} --resume {}",
        acceptance.ended, acceptance.results.size(), acceptance.planned, options.profiles.front(),
        options.nccl == kOwnNccl ? "" : " --nccl " + options.nccl, folder.string()));
  }
  session::print(fmt::format("Results: {}\n", folder.string()));
  if (!options.write_baseline.empty()) {
    write_baseline(options.write_baseline, acceptance);
  }
  return accept::exit_code(accept::answer_of(acceptance));
}

int accept_machine(const AcceptOptions& options, run::Fellows* fellows) {
  const fs::path profiles = catalogue::find_installation().profiles();
  if (options.list) return list_profiles(profiles);
  const Source source = source_of(options, profiles);
  // --nccl asks for the simulation whatever the profile's back end is.
  const bool is_profiles = options.backend == "auto" && options.nccl == kOwnNccl;
  session::Site site = session::find_site(
      is_profiles ? source.profile.backend : backend_for(options.backend, options.nccl), fellows);
  use_nccl(site, options.nccl);
  auto baseline = baseline_of(options, source);
  session::CatalogueCache catalogue = catalogue_of(site);
  const std::vector<accept::Check> checks =
      checks_of(options, source, site, catalogue, baseline.has_value());
  const accept::Bounds bounds{.whole = source.profile.limit,
                              .stop_after = options.stop_after,
                              .until_fail = options.until_fail};
  if (options.dry_run) {
    session::print(accept::plan_text(checks, bounds));
    return session::kAsDeclared;
  }
  if (site.gpus && site.gpus->is_broken) throw MachineError(site.gpus->fault);
  accept::Acceptance acceptance = begun(source, site, catalogue, checks, bounds, baseline);
  std::vector<accept::Result> earlier;
  const bool goes_on = !options.resume.empty();
  if (goes_on) {
    accept::Acceptance before = earlier_of(options.resume, acceptance.digest);
    earlier = std::move(before.results);
    acceptance.seconds = before.seconds;
  }
  const session::ResultsFolder folder(goes_on ? options.resume : options.outputs.folder,
                                      site.backend + "-accept",
                                      goes_on ? session::Earlier::keep : session::Earlier::remove);
  for (const fs::path& file :
       {options.outputs.json, options.outputs.junit, options.write_baseline}) {
    session::check_writable(file);
  }
  session::check_writable(options.outputs.exports);
  raise_descriptor_limit();
  session::Acceptor acceptor(options.outputs, site, catalogue, folder);
  acceptor.plan(static_cast<int>(checks.size() - earlier.size()));
  accept::execute(checks, earlier, facts_of(site, acceptance.context, std::move(baseline)), bounds,
                  acceptor, acceptance);
  acceptor.clear();
  // Shows the answer first, because writing the reports may fail on a full disk.
  if (acceptance.ended.empty()) session::print(accept::to_text(acceptance));
  const bool all_written = acceptor.write(acceptance);
  folder.make_latest();
  const int code = concluded(options, acceptance, folder.path());
  session::show_answer(folder.path(), accept::sheet_of(acceptance), acceptance.context,
                       acceptor.odd(), options.outputs.open);
  return session::with_files(code, all_written);
}

}  // namespace

Command accept_command(CLI::App& app) {
  auto options = std::make_shared<AcceptOptions>();
  const CLI::App* command = add_accept(app, *options);
  return command_of(command, options, accept_machine, true);
}

}  // namespace gridlock::cli
