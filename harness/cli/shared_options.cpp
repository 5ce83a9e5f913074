// Names, types and help texts of options that several commands share.
#include "harness/cli/shared_options.h"

#include <fmt/format.h>

#include "harness/base/duration.h"
#include "harness/base/error.h"
#include "harness/catalogue/selection.h"
#include "harness/cli/parsed.h"
#include "harness/session/console.h"

namespace gridlock::cli {
namespace {

CLI::Option* add_duration(CLI::App& command, const char* name, Duration& duration,
                          const char* help) {
  return command
      .add_option(name, parsed_by([&duration](const std::string& text) {
                    duration = parse_duration(text);
                  }),
                  help)
      ->type_name("DURATION");
}

}  // namespace

void add_backend(CLI::App& command, std::string& backend, const char* usual) {
  command
      .add_option("--backend", parsed_by([&backend](const std::string& text) {
                    if (text != "auto" && text != "sim" && text != "cuda") {
                      throw UsageError(
                          fmt::format("there is no back end \"{}\"; give auto, sim or cuda", text));
                    }
                    backend = text;
                  }),
                  fmt::format("auto (cuda if there is a GPU), sim or cuda [{}]", usual))
      ->type_name("NAME");
}

void add_nccl(CLI::App& command, std::string& nccl) {
  command
      .add_option("--nccl", nccl,
                  "own, or one that was built from source (`gridlock nccl` lists them) [own]")
      ->type_name("VERSION");
}

std::string backend_for(const std::string& backend, const std::string& nccl) {
  if (nccl == kOwnNccl) return backend;
  if (backend == "cuda") {
    throw UsageError("--nccl is for the simulated CUDA; leave out --backend cuda");
  }
  return "sim";
}

void use_nccl(session::Site& site, const std::string& nccl) {
  if (nccl != kOwnNccl) site.nccl = catalogue::find_nccl(site.installation, nccl);
}

void add_ranks(CLI::App& command, Ranks& ranks, const char* help) {
  command
      .add_option("-n,--ranks", parsed_by([&ranks](const std::string& text) {
                    ranks.numbers = catalogue::parse_ranks(text);
                    ranks.splits = catalogue::parse_splits(text);
                  }),
                  help)
      ->type_name("N");
}

void add_repeat(CLI::App& command, int& repeat) {
  command.add_option("--repeat", count_into(repeat, 1), "run each variant N times [1]")
      ->type_name("N");
}

void add_launcher(CLI::App& command, bool& by_mpiexec, const char* usual) {
  command
      .add_option("--launcher", parsed_by([&by_mpiexec](const std::string& text) {
                    if (text != "own" && text != "mpiexec") {
                      throw UsageError(fmt::format(
                          "there is no launcher \"{}\"; give own or mpiexec (a program that "
                          "starts its ranks itself needs watch --ranks-by-program)",
                          text));
                    }
                    by_mpiexec = text == "mpiexec";
                  }),
                  fmt::format("own, or mpiexec if the ranks call MPI [{}]", usual))
      ->type_name("NAME");
}

void add_strict(CLI::App& command, bool& strict) {
  command.add_flag(
      "--strict", strict,
      "assume less: quiet and napping threads, kernels that fail, launchers, library locks, "
      "long time limits, long launches, outside signals and processes may still end a "
      "hang");
}

void add_limits(CLI::App& command, session::JobOptions& options) {
  add_duration(command, "--stall-limit", options.stall_limit,
               "report a stall after this time without progress and without a proof (500ms, 2s)");
  add_duration(command, "--run-limit", options.run_limit, "end a run after this time (30s, 5m)");
  add_strict(command, options.strict);
}

void add_output(CLI::App& command, session::Outputs& outputs) {
  command.add_option("--output", outputs.folder, "folder for the results [results/<utc>-<what>]")
      ->type_name("DIR");
}

void add_file(CLI::App& command, const char* name, std::filesystem::path& file,
              const std::string& what) {
  command
      .add_option(
          name, parsed_by([&file](const std::string& text) {
            file = text == "-" ? session::standard_output_alone() : std::filesystem::path(text);
          }),
          fmt::format("also write {} to this file; - prints it, and all else on stderr", what))
      ->type_name("FILE");
}

void add_json(CLI::App& command, session::Outputs& outputs, const std::string& file) {
  add_file(command, "--json", outputs.json, file);
}

void add_quiet(CLI::App& command, session::Outputs& outputs) {
  command.add_flag("--quiet", outputs.quiet, "show only the results, and no progress before them");
}

void add_open(CLI::App& command, session::Outputs& outputs) {
  command.add_flag("--open", outputs.open, "open the page (index.html) in a browser at the end");
}

void add_files(CLI::App& command, session::Outputs& outputs, const std::string& file) {
  add_json(command, outputs, file);
  command.add_option("--junit", outputs.junit, "also write JUnit XML to this file")
      ->type_name("FILE");
}

void add_prometheus(CLI::App& command, session::Exports& exports) {
  command
      .add_option("--prometheus", exports.prometheus,
                  "also write figures for Prometheus' textfile collector to this file (.prom)")
      ->type_name("FILE");
}

void add_exports(CLI::App& command, session::Exports& exports) {
  command
      .add_option("--trace", exports.trace,
                  "also write what the ranks did as trace events, for ui.perfetto.dev")
      ->type_name("FILE");
  command
      .add_option("--flight-records", exports.flight_records,
                  "also write PyTorch's flight records, one file per rank, into this folder")
      ->type_name("DIR");
  command
      .add_option("--benchmark", exports.benchmark,
                  "also write all times as Google Benchmark's JSON to this file")
      ->type_name("FILE");
  add_prometheus(command, exports);
  command.add_option("--sarif", exports.sarif, "also write verdicts as SARIF to this file")
      ->type_name("FILE");
}

}  // namespace gridlock::cli
