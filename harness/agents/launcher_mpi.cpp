// The only MPI calls of the harness.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "harness/agents/launcher.h"
#include "harness/base/error.h"

#ifdef GRIDLOCK_WITH_MPI
#include <mpi.h>
#endif

namespace gridlock::agents {

#ifdef GRIDLOCK_WITH_MPI
namespace {

// Sets variables while MPI runs. The user's own values win.
class Settings {
 public:
  Settings() {
    // A watcher does not touch GPUs. An agent that is killed at any moment must leave nothing of
    // MPI's in shared memory.
    add("MPIR_CVAR_ENABLE_GPU", "0");
    add("MPIR_CVAR_NOLOCAL", "1");
    add("UCX_TLS", "tcp,self");
  }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;
  ~Settings() {
    for (const char* name : added_) unsetenv(name);
  }

 private:
  void add(const char* name, const char* value) {
    if (std::getenv(name) != nullptr) return;
    setenv(name, value, 1);
    added_.push_back(name);
  }
  std::vector<const char*> added_;
};

// A rank that calls MPI must not find the agent's variables. The descriptors stay open here,
// because a launcher treats an early close as a death.
void hide_launcher() {
  for (const char* name : {"PMI_FD", "HYDI_CONTROL_FD"}) {
    if (const char* descriptor = std::getenv(name)) {
      fcntl(std::atoi(descriptor), F_SETFD, FD_CLOEXEC);
    }
  }
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    for (const std::string_view prefix : {"PMI_", "PMI2_", "HYDI_", "MPI_LOCAL", "MPIR_"}) {
      if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

}  // namespace

bool tell_launcher() {
  const char* descriptor = std::getenv("PMI_FD");
  if (descriptor == nullptr) return false;
  const int launcher = std::atoi(descriptor);
  constexpr std::string_view kFinalize = "cmd=finalize\n";
  constexpr int kAnswerLimitMs = 1000;
  pollfd answered{.fd = launcher, .events = POLLIN, .revents = 0};
  std::array<char, 256> answer{};
  return write(launcher, kFinalize.data(), kFinalize.size()) > 0 &&
         poll(&answered, 1, kAnswerLimitMs) > 0 && read(launcher, answer.data(), answer.size()) > 0;
}

Met meet(int expected, const std::function<std::string()>& invite) {
  const Settings settings;
  MPI_Init(nullptr, nullptr);
  Met met;
  MPI_Comm_rank(MPI_COMM_WORLD, &met.index);
  MPI_Comm_size(MPI_COMM_WORLD, &met.agents);
  if (met.index == 0) met.invitation = invite();
  int size = static_cast<int>(met.invitation.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  met.invitation.resize(static_cast<std::size_t>(size));
  MPI_Bcast(met.invitation.data(), size, MPI_BYTE, 0, MPI_COMM_WORLD);
  // After this, all agents have the invitation, even those that get it through another agent.
  // MPI_Finalize would do the same, but over sockets it sometimes hangs (3 of 12 times over five
  // hosts).
  MPI_Barrier(MPI_COMM_WORLD);
  tell_launcher();
  hide_launcher();
  if (met.agents != expected) {
    throw MachineError(
        fmt::format("{} agents were started, but MPI knows {}: it was started by another MPI's "
                    "launcher; use MPICH's mpiexec, or srun --mpi=pmi2",
                    expected, met.agents));
  }
  return met;
}
#else
Met meet(int, const std::function<std::string()>&) {
  throw MachineError("this gridlock was built without MPI");
}
#endif

}  // namespace gridlock::agents
