// gridlock nccl, config: the available NCCLs, and how to build a program for them.
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/catalogue/nccls.h"
#include "harness/cli/command.h"
#include "harness/cli/shared_options.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"

namespace gridlock::cli {
namespace {

struct NcclOptions {};

struct ConfigOptions {
  bool compile = false;
  bool link = false;
  std::string nccl = kOwnNccl;
};

int list_nccls(const NcclOptions&, run::Fellows*) {
  session::print("own      our simulation of NCCL\n");
  for (const catalogue::Nccl& nccl : catalogue::find_nccls(catalogue::find_installation())) {
    session::print(fmt::format("{:<8} built from source ({})\n", nccl.version, nccl.source));
  }
  return session::kAsDeclared;
}

int config(const ConfigOptions& options, run::Fellows*) {
  if (!options.compile && !options.link) throw UsageError("config needs --cflags or --libs");
  const catalogue::Installation installation = catalogue::find_installation();
  std::string text;
  if (options.compile) {
    const std::filesystem::path headers = installation.headers();
    std::error_code error;
    if (!std::filesystem::exists(headers / "cuda_runtime.h", error)) {
      throw MachineError(fmt::format(
          "there is no cuda_runtime.h in {}; install Gridlock completely", headers.string()));
    }
    if (options.nccl != kOwnNccl) {
      text += fmt::format(" -I{}/include",
                          catalogue::find_nccl(installation, options.nccl).folder.string());
    }
    text += fmt::format(" -I{}", headers.string());
  }
  if (options.link) {
    // A RUNPATH, so that a library path can name another NCCL.
    const std::string root = installation.root.string();
    text += fmt::format(
        " -L{} -l:libnccl.so.2 -lgridlock_cuda -Wl,--enable-new-dtags,-rpath,{} -pthread", root,
        root);
  }
  session::print(text.substr(1) + "\n");
  return session::kAsDeclared;
}

}  // namespace

Command nccl_command(CLI::App& app) {
  auto options = std::make_shared<NcclOptions>();
  CLI::App* command = app.add_subcommand(
      "nccl", "list the NCCLs for the simulated CUDA (`./run_all.sh nccl VERSION` builds one)");
  return command_of(command, options, list_nccls, false);
}

Command config_command(CLI::App& app) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* command =
      app.add_subcommand("config", "print what builds a program for the simulated CUDA and NCCL");
  command->add_flag("--cflags", options->compile, "the compiler's options");
  command->add_flag("--libs", options->link, "the linker's options");
  add_nccl(*command, options->nccl);
  return command_of(command, options, config, false);
}

}  // namespace gridlock::cli
