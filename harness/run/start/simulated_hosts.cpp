// A thread of its own makes each pair of namespaces, because a thread that has left its namespaces
// is of no other use. `ip` makes the links. A namespace is passed to it as /proc/<pid>/fd/<n>.
#include "harness/run/start/simulated_hosts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "harness/base/error.h"
#include "harness/processes/launch.h"
#include "harness/processes/output.h"
#include "harness/processes/process_tree.h"

namespace gridlock::run {
namespace {

constexpr int kKinds = CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWNS;

FileDescriptor own_space(const char* kind) {
  return FileDescriptor(
      open(fmt::format("/proc/thread-self/ns/{}", kind).c_str(), O_RDONLY | O_CLOEXEC));
}

// Runs a shell command in these namespaces. Returns what it complained about; "" if it succeeded.
std::string complaint(const std::string& line, const std::vector<int>& spaces) {
  const processes::Process process =
      processes::start({.command = {"/bin/sh", "-c", line}, .environment = {}, .spaces = spaces});
  const auto deadline = std::chrono::steady_clock::now() + kReapLimit;
  if (!processes::wait_for_end(process.handle, deadline)) return "it does not end";
  std::string text;
  processes::drain(process.output.get(), text);
  const auto ending = processes::reap(process.pid);
  if (ending && !ending->signaled && ending->code == 0) return "";
  return text.empty() ? "it failed" : text.substr(0, text.find('\n'));
}

void command(const std::string& line, const std::vector<int>& spaces) {
  const std::string why = complaint(line, spaces);
  if (why.empty()) return;
  throw MachineError(
      fmt::format("this machine cannot join simulated hosts: \"{}\": {}", line, why));
}

std::string find_why_not() {
  if (geteuid() != 0) return "network namespaces for the simulated hosts need root";
  if (!complaint("ip -V", {}).empty())
    return "there is no program ip: install the package iproute2";
  int error = 0;
  std::thread([&error] {
    if (unshare(kKinds) != 0) error = errno;
  }).join();
  if (error == 0) return "";
  return fmt::format("no network namespaces can be made here (unshare: {})", std::strerror(error));
}

}  // namespace

const std::string& SimulatedHosts::why_not() {
  static const std::string why = find_why_not();
  return why;
}

std::string SimulatedHosts::name(int host) { return fmt::format("node{}", host); }
std::string SimulatedHosts::address(int host) { return fmt::format("10.77.0.{}", host + 1); }
std::string_view SimulatedHosts::link() { return "eth0"; }

SimulatedHosts::Spaces SimulatedHosts::make(const std::string& name) {
  Spaces made;
  std::thread([&made, &name] {
    const bool is_done =
        unshare(kKinds) == 0 && sethostname(name.data(), name.size()) == 0 &&
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") == 0;
    if (!is_done) return;
    made = {.network = own_space("net"), .names = own_space("uts"), .mounts = own_space("mnt")};
  }).join();
  if (!made.network.is_open() || !made.names.is_open() || !made.mounts.is_open()) {
    throw MachineError("this machine cannot make the namespaces of a simulated host");
  }
  return made;
}

SimulatedHosts::SimulatedHosts(int count) : switch_(make("switch")) {
  std::string ports = "ip link add bridge0 type bridge && ip link set bridge0 up";
  for (int host = 0; host < count; ++host) {
    hosts_.push_back(make(name(host)));
    ports += fmt::format(
        " && ip link add port{0} type veth peer name {1} netns /proc/{2}/fd/{3} && "
        "ip link set port{0} master bridge0 up",
        host, link(), getpid(), hosts_.back().network.get());
  }
  command(ports, {switch_.network.get()});
  for (int host = 0; host < count; ++host) {
    command(fmt::format("ip link set lo up && ip addr add {}/24 dev {} && ip link set {} up",
                        address(host), link(), link()),
            spaces(host));
  }
}

std::vector<int> SimulatedHosts::spaces(int host) const {
  const Spaces& of = hosts_[static_cast<std::size_t>(host)];
  return {of.network.get(), of.names.get(), of.mounts.get()};
}

}  // namespace gridlock::run
