// Hosts of their own, joined by a network, which vanish with the last who uses them.
#include "harness/run/start/simulated_hosts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "harness/processes/launch.h"
#include "harness/processes/output.h"
#include "harness/processes/process_tree.h"

namespace gridlock::run {
namespace {

class Simulated : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string& why = SimulatedHosts::why_not(); !why.empty()) GTEST_SKIP() << why;
  }
};

std::string said_on(const SimulatedHosts& hosts, int host, const std::string& command) {
  const processes::Process process = processes::start(
      {.command = {"/bin/sh", "-c", command}, .environment = {}, .spaces = hosts.spaces(host)});
  processes::wait_for_end(process.handle, std::chrono::steady_clock::now() + kReapLimit);
  processes::reap(process.pid);
  std::string text;
  processes::drain(process.output.get(), text);
  return text;
}

TEST_F(Simulated, HostsHaveNamesAndAddresses) {
  const SimulatedHosts hosts(3);
  for (int host = 0; host < hosts.count(); ++host) {
    const std::string said = said_on(hosts, host, "hostname; ip -4 -o addr show dev eth0");
    EXPECT_TRUE(said.starts_with(SimulatedHosts::name(host) + "\n")) << said;
    EXPECT_NE(said.find(SimulatedHosts::address(host) + "/24"), std::string::npos) << said;
  }
}

TEST_F(Simulated, HostsReachEachOtherAndOwnPortsDoNotMeet) {
  const SimulatedHosts hosts(2);
  // /dev/tcp is bash's. A refused connection is an answer of the other host.
  const std::string said =
      said_on(hosts, 0, "bash -c 'echo > /dev/tcp/" + SimulatedHosts::address(1) + "/2000' 2>&1");
  EXPECT_NE(said.find("Connection refused"), std::string::npos) << said;
}

TEST_F(Simulated, EachHasSharedMemoryOfItsOwn) {
  const std::string name = "/dev/shm/gridlock-test-" + std::to_string(getpid());
  const SimulatedHosts hosts(2);
  EXPECT_EQ(said_on(hosts, 0, "echo > " + name + " && ls /dev/shm | wc -l"), "1\n");
  EXPECT_EQ(said_on(hosts, 1, "ls /dev/shm | wc -l"), "0\n");
  EXPECT_NE(access(name.c_str(), F_OK), 0) << "it is left on this machine";
}

TEST_F(Simulated, AProcessStartsInItsFolder) {
  const SimulatedHosts hosts(2);
  EXPECT_EQ(said_on(hosts, 1, "pwd"), std::filesystem::current_path().string() + "\n");
}

TEST_F(Simulated, NothingOfThemIsInTheMachinesOwnNetwork) {
  const auto links = [] {
    const processes::Process process =
        processes::start({.command = {"ip", "-o", "link"}, .environment = {}});
    processes::wait_for_end(process.handle, std::chrono::steady_clock::now() + kReapLimit);
    processes::reap(process.pid);
    std::string text;
    processes::drain(process.output.get(), text);
    return text;
  };
  const std::string before = links();
  const SimulatedHosts hosts(2);
  EXPECT_EQ(links(), before);
}

}  // namespace
}  // namespace gridlock::run
