// The smallest slurm.conf that runs steps: no cgroups, no accounting, everything below /run.
#include "tests/nodes/slurm.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace gridlock::nodes {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return Field::folder() / "slurm"; }

constexpr const char* kSettings = R"(ClusterName=field
SlurmctldHost=node0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=FOLDER/munge.socket
CredType=cred/munge
StateSaveLocation=FOLDER/state
SlurmdSpoolDir=FOLDER/spool-%n
SlurmctldPidFile=FOLDER/slurmctld.pid
SlurmdPidFile=FOLDER/slurmd-%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/linear
ReturnToService=2
)";

}  // namespace

std::string why_no_slurm() {
  for (const std::string program : {"munged", "slurmctld", "slurmd", "srun"}) {
    if (std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0) continue;
    return "there is no " + program + ": install the packages slurmctld, slurmd and munge";
  }
  return "";
}

Slurm::Slurm(const Field& field) : field_(field) {
  write_settings();
  const std::string path = folder().string();
  daemons_.emplace_back(
      field, 0,
      Command{"munged", "--foreground", "--force", "--key-file=" + path + "/munge.key",
              "--socket=" + path + "/munge.socket", "--pid-file=" + path + "/munge.pid",
              "--seed-file=" + path + "/munge.seed", "--log-file=" + path + "/munge.log"});
  const bool is_there = wait_until([&] { return fs::exists(folder() / "munge.socket"); });
  daemons_.emplace_back(field, 0, Command{"slurmctld", "-D", "-c"}, environment());
  for (int host = 0; host < field.hosts(); ++host) {
    daemons_.emplace_back(field, host, Command{"slurmd", "-D", "-c"}, environment());
  }
  const std::string all_idle = "idle " + std::to_string(field.hosts()) + "\n";
  const bool is_up = is_there && wait_until([&] {
                       Job info(field, 0, {"sinfo", "--noheader", "--format=%T %D"}, environment());
                       return info.finish() == 0 && info.output() == all_idle;
                     });
  if (is_up) return;
  std::string said = "Slurm does not come up:\n";
  for (const Job& daemon : daemons_) said += daemon.output();
  throw std::runtime_error(said);
}

void Slurm::write_settings() const {
  fs::remove_all(folder());
  fs::create_directories(folder() / "state");
  std::string text = kSettings;
  const std::string place = "FOLDER";
  for (auto at = text.find(place); at != std::string::npos; at = text.find(place)) {
    text.replace(at, place.size(), folder().string());
  }
  std::string nodes;
  for (int host = 0; host < field_.hosts(); ++host) {
    nodes += (host == 0 ? "" : ",") + Field::name(host);
    text += "NodeName=" + Field::name(host) + " CPUs=1\n";
  }
  text += "PartitionName=all Nodes=" + nodes + " Default=YES State=UP\n";
  std::ofstream(folder() / "slurm.conf") << text;
  // A key of our own. It need not be strong, only shared and private.
  std::ofstream(folder() / "munge.key") << std::string(1024, 'k');
  chmod((folder() / "munge.key").c_str(), 0600);
}

Environment Slurm::environment() {
  Environment all = only_by_wire();
  all["SLURM_CONF"] = folder() / "slurm.conf";
  return all;
}

Command Slurm::over_hosts(const Command& command) const {
  Command all{"srun", "--mpi=pmi2", "--nodes=" + std::to_string(field_.hosts()),
              "--ntasks-per-node=1"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

}  // namespace gridlock::nodes
