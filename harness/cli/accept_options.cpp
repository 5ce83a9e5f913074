// Names and help texts of `gridlock accept`.
#include "harness/cli/accept_options.h"

#include "harness/cli/parsed.h"
#include "harness/cli/shared_options.h"

namespace gridlock::cli {

CLI::App* add_accept(CLI::App& app, AcceptOptions& options) {
  CLI::App* command = app.add_subcommand(
      "accept", "check whether a machine is fit: pass, fail, inconclusive or infrastructure");
  command->add_option("PROFILE", options.profiles,
                      "name of a shipped profile, or path of a TOML file");
  command->add_flag("--list", options.list, "list the shipped profiles");
  command->add_flag("--dry-run", options.dry_run, "show the checks and run nothing");
  add_backend(*command, options.backend, "the profile's");
  add_nccl(*command, options.nccl);
  command->add_option("--tag", options.tags, "only checks with one of these tags")
      ->type_name("TAG");
  command->add_option("--skip-tag", options.skip_tags, "no checks with one of these tags")
      ->type_name("TAG");
  command
      ->add_option("--shard", options.shard,
                   "part I of N: every N-th check, starting with the I-th")
      ->type_name("I/N");
  command
      ->add_option("--repeat-until-fail", count_into(options.until_fail, 1),
                   "repeat each check until it fails, at most N times")
      ->type_name("N");
  command->add_option("--stop-after", count_into(options.stop_after, 1), "stop after N failures")
      ->type_name("N");
  CLI::Option* resume = command
                            ->add_option("--resume", options.resume,
                                         "continue an interrupted run in its results folder")
                            ->type_name("DIR");
  command
      ->add_option("--baseline", options.baseline,
                   "bandwidths of a good machine; floors may be a share of them")
      ->type_name("FILE");
  command
      ->add_option("--write-baseline", options.write_baseline,
                   "write the bandwidths of this run as a baseline")
      ->type_name("FILE");
  add_output(*command, options.outputs);
  add_files(*command, options.outputs, "acceptance.json");
  add_quiet(*command, options.outputs);
  add_prometheus(*command, options.outputs.exports);
  add_open(*command, options.outputs);
  command->get_option("--output")->excludes(resume);
  return command;
}

}  // namespace gridlock::cli
