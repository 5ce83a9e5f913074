// CLI11's half of acceptance and soak.
#include "harness/cli/accept_options.h"

#include "harness/base/duration.h"
#include "harness/catalogue/selection.h"
#include "harness/cli/parsed.h"

namespace gridlock::cli {
namespace {

void add_backend(CLI::App& command, session::Options& options, const char* help) {
  command.add_option("--backend", options.backend, help)
      ->check(CLI::IsMember({"auto", "sim", "cuda"}))
      ->type_name("NAME");
}

void add_output(CLI::App& command, session::Options& options) {
  command.add_option("--output", options.output, "folder for the results [results/<utc>-<what>]");
}

void add_ranks(CLI::App& command, session::Options& options) {
  command
      .add_option("-n,--ranks", parsed_by([&](const std::string& text) {
                    options.ranks = catalogue::parse_ranks(text);
                  }),
                  "number of ranks [the scenario's own]")
      ->type_name("N");
}

}  // namespace

CLI::App* add_accept(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand(
      "accept", "whether a machine is fit for use: pass, fail, inconclusive or infrastructure");
  session::AcceptOptions& accept = options.accept;
  command->add_option("PROFILE", options.names,
                      "name of a shipped profile, or path of a TOML file");
  command->add_flag("--list", accept.list, "name the shipped profiles");
  command->add_flag("--dry-run", accept.dry_run, "show the checks and run nothing");
  add_backend(*command, options, "auto, sim or cuda [the profile's]");
  command->add_option("--tag", accept.tags, "only checks with one of these tags")->type_name("TAG");
  command->add_option("--skip-tag", accept.skip_tags, "no checks with one of these tags")
      ->type_name("TAG");
  command->add_option("--shard", accept.shard, "every n-th check, from the i-th on")
      ->type_name("I/N");
  command
      ->add_option("--repeat-until-fail", count_into(accept.until_fail, 1),
                   "repeat each check until it fails, at most this often")
      ->type_name("N");
  command
      ->add_option("--stop-after", count_into(accept.stop_after, 1),
                   "run no more checks after this many failures")
      ->type_name("N");
  CLI::Option* resume =
      command->add_option("--resume", accept.resume, "go on in the folder of an interrupted run");
  command->add_option("--baseline", accept.baseline, "what floors are a share of")
      ->type_name("FILE");
  command->add_option("--write-baseline", accept.write_baseline, "keep the bandwidths for others")
      ->type_name("FILE");
  add_output(*command, options);
  command->get_option("--output")->excludes(resume);
  command->add_option("--json", options.json, "also write acceptance.json to this file");
  command->add_option("--junit", options.junit, "also write JUnit XML to this file");
  return command;
}

CLI::App* add_soak(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand(
      "soak", "controls and fixes over and over, with delays: false alarms and drift");
  session::SoakOptions& soak = options.soak;
  command->add_option("NAMES", options.names,
                      "scenario[/variant], with wildcards; all controls and fixes if none");
  command
      ->add_option("--for",
                   parsed_by([&](const std::string& text) { soak.time = parse_duration(text); }),
                   "how long (30s, 30m, 12h)")
      ->type_name("DURATION")
      ->required();
  command->add_option("--seed", soak.seed, "of order and delays [from the clock; printed]")
      ->type_name("N");
  command->add_flag("--no-delays", soak.no_delays, "do not stop ranks now and then");
  add_ranks(*command, options);
  add_backend(*command, options, "auto, sim or cuda [auto]");
  add_output(*command, options);
  command->add_option("--json", options.json, "also write soak.json to this file");
  return command;
}

}  // namespace gridlock::cli
