// A process makes and keeps each host's namespaces; `ip` does the rest.
#include "tests/nodes/field.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "tests/nodes/job.h"

namespace gridlock::nodes {
namespace {

namespace fs = std::filesystem;

void command(const std::string& line) {
  if (std::system(line.c_str()) == 0) return;
  throw std::runtime_error("this machine cannot join hosts: \"" + line + "\" failed");
}

bool try_command(const std::string& line) {
  return std::system((line + " >/dev/null 2>&1").c_str()) == 0;
}

std::string address(int host) { return fmt::format("10.77.0.{}", host + 1); }

std::string space_of(pid_t pid, const char* kind) {
  return fmt::format("/proc/{}/ns/{}", pid, kind);
}

bool join_space(pid_t pid, const char* kind) {
  const int space = open(space_of(pid, kind).c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0) return false;
  const bool joined = setns(space, 0) == 0;
  close(space);
  return joined;
}

// A process on a new host.
pid_t make_host(int host) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for a host");
  const pid_t holder = fork();
  if (holder == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string name = Field::name(host);
    const bool done = unshare(CLONE_NEWNET | CLONE_NEWUTS) == 0 &&
                      sethostname(name.data(), name.size()) == 0 && write(ends[1], "1", 1) == 1;
    if (!done) _exit(1);
    close(ends[1]);
    while (true) pause();
  }
  close(ends[1]);
  char made = 0;
  const bool is_there = read(ends[0], &made, 1) == 1;
  close(ends[0]);
  if (!is_there) throw std::runtime_error("this machine cannot make a network namespace");
  return holder;
}

}  // namespace

Field::Field(int hosts, std::chrono::microseconds delay) {
  fs::create_directories(folder() / "hosts");
  std::ofstream names(folder() / "names");
  names << "127.0.0.1 localhost\n";
  for (int host = 0; host < hosts; ++host) {
    holders_.push_back(make_host(host));
    names << address(host) << ' ' << name(host) << '\n';
    std::ofstream(folder() / "hosts" / name(host)) << holders_.back() << '\n';
  }
  names.close();
  if (mount((folder() / "names").c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0) {
    throw std::runtime_error("cannot give the hosts names: /etc/hosts cannot be mounted over");
  }
  join_by_bridge(delay);
  if (delay.count() > 0 && delayed_by_.empty()) join_by_wire(delay);
  for (int host = 0; host < hosts; ++host) {
    command(
        fmt::format("nsenter -t {} -n sh -c 'ip link set lo up && "
                    "ip addr add {}/24 dev eth0 && ip link set eth0 up'",
                    holders_[static_cast<std::size_t>(host)], address(host)));
  }
}

Field::~Field() {
  for (const Stranger& left : strangers(*this)) {
    if (left.host >= 0) kill(left.pid, SIGKILL);
  }
  for (const pid_t holder : holders_) kill(holder, SIGKILL);
  for (const pid_t holder : holders_) waitpid(holder, nullptr, 0);
  wire_.reset();
  // The kernel would remove them too, but later.
  for (int host = 0; host < hosts(); ++host) try_command(fmt::format("ip link del port{}", host));
  try_command("ip link del bridge0");
  umount2("/etc/hosts", MNT_DETACH);
}

std::string Field::names() const {
  std::string all;
  for (int host = 0; host < hosts(); ++host) all += (host == 0 ? "" : ",") + name(host);
  return all;
}

const fs::path& Field::folder() {
  static const fs::path path = "/run/gridlock-field";
  return path;
}

bool Field::enter(int host) const {
  const pid_t holder = holders_[static_cast<std::size_t>(host)];
  return join_space(holder, "net") && join_space(holder, "uts");
}

bool Field::holds(pid_t pid) const {
  return std::find(holders_.begin(), holders_.end(), pid) != holders_.end();
}

int Field::host_of(pid_t pid) const {
  struct stat own {};
  if (stat(space_of(pid, "net").c_str(), &own) != 0) return -1;
  for (int host = 0; host < hosts(); ++host) {
    struct stat there {};
    const pid_t holder = holders_[static_cast<std::size_t>(host)];
    if (stat(space_of(holder, "net").c_str(), &there) == 0 && there.st_ino == own.st_ino) {
      return host;
    }
  }
  return -1;
}

void Field::join_by_bridge(std::chrono::microseconds delay) {
  command("ip link add bridge0 type bridge && ip link set bridge0 up");
  for (int host = 0; host < hosts(); ++host) {
    command(
        fmt::format("ip link add port{0} type veth peer name eth0 netns {1} && "
                    "ip link set port{0} master bridge0 up",
                    host, holders_[static_cast<std::size_t>(host)]));
  }
  if (delay.count() == 0) return;
  for (int host = 0; host < hosts(); ++host) {
    // A packet is delayed where it leaves the bridge, so once each way.
    if (!try_command(fmt::format("tc qdisc add dev port{} root netem delay {}us limit 100000", host,
                                 delay.count()))) {
      return;
    }
  }
  delayed_by_ = "netem";
}

void Field::join_by_wire(std::chrono::microseconds delay) {
  std::vector<int> ends;
  const int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  for (int host = 0; host < hosts(); ++host) {
    command(fmt::format("ip link del port{}", host));
    const bool there = join_space(holders_[static_cast<std::size_t>(host)], "net");
    const int end = there ? open_tun() : -1;
    const int error = errno;
    setns(home, CLONE_NEWNET);
    if (end < 0) {
      close(home);
      for (const int made : ends) close(made);
      throw std::runtime_error(
          fmt::format("packets cannot be delayed here: the kernel has no netem, and a TUN device "
                      "cannot be had: {}",
                      std::strerror(error)));
    }
    ends.push_back(end);
  }
  close(home);
  wire_ = std::make_unique<Wire>(std::move(ends), delay);
  delayed_by_ = "tun";
}

void Field::cut(int host) {
  if (wire_) return wire_->cut(host);
  command(fmt::format("ip link set port{} nomaster", host));
}

void Field::mend(int host) {
  if (wire_) return wire_->mend(host);
  command(fmt::format("ip link set port{} master bridge0", host));
}

}  // namespace gridlock::nodes
