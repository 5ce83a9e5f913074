// What the kernel says of connections and routes, and a link that really goes down.
#include "harness/run/look/kernel/descriptors/unanswered.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "harness/processes/process_tree.h"
#include "harness/run/start/simulated_hosts.h"

namespace gridlock::run {
namespace {

// Copied from a machine.
constexpr const char* kConnections =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 00000000:6D6C 00000000:0000 0A 00000003:00000000 00:00000000 00000000     0        0 "
    "41 1 0 100 0 0 10 0\n"
    "   1: 01004D0A:A1B2 02004D0A:D2C4 01 00000404:00000000 01:0000014A 00000005     0        0 "
    "42 2 0 25 4 30 10 -1\n"
    "   2: 01004D0A:8606 02004D0A:C399 02 00000001:00000000 01:0000010C 00000004     0        0 "
    "43 2 0 800 0 0 1 7\n"
    "   3: 02004D0A:D2C4 01004D0A:A1B2 01 00000010:00000000 04:0000014A 00000000     0        6 "
    "44 2 0 25 4 30 10 -1\n";

TEST(Unanswered, ReadsTheKernelsTable) {
  const auto all = connections_in(kConnections);
  ASSERT_EQ(all.size(), 2U) << "the others have sent no data";
  EXPECT_EQ(all[0].local, "01004D0A:A1B2");
  EXPECT_EQ(address_text(all[0].remote), "10.77.0.2");
  EXPECT_EQ(all[0].inode, 42U);
  EXPECT_EQ(all[0].unsent, 0x404U);
  EXPECT_EQ(all[0].tries, 5U);
  EXPECT_EQ(all[1].tries, 6U) << "probes";
  EXPECT_TRUE(connections_in("").empty());
  EXPECT_TRUE(connections_in("heading\n 1: half a li").empty());
}

TEST(Unanswered, KnowsAnIpv4AddressInAnIpv6Socket) {
  EXPECT_EQ(address_text("0000000000000000FFFF000002004D0A:D2C4"), "10.77.0.2");
}

TEST(Unanswered, KnowsWhetherARouteLeadsThere) {
  const std::string heading = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n";
  EXPECT_TRUE(has_route(heading + "eth0\t00004D0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n",
                        "02004D0A:D2C4"));
  EXPECT_FALSE(has_route(heading + "eth0\t00004E0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n",
                         "02004D0A:D2C4"));
  EXPECT_FALSE(has_route(heading, "02004D0A:D2C4"));
  EXPECT_TRUE(has_route(heading + "eth0\t00000000\t01004D0A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n",
                        "02004D0A:D2C4"))
      << "by the default route";
}

// A process on a simulated host that sends one byte to another host after its link has gone down.
TEST(Unanswered, FindsWhatADeadLinkDoesNotCarry) {
  if (const std::string& why = SimulatedHosts::why_not(); !why.empty()) GTEST_SKIP() << why;
  const SimulatedHosts hosts(2);
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const auto on_host = [&](int host) {
    for (const int space : hosts.spaces(host)) setns(space, 0);
    const int end = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(2000);
    inet_pton(AF_INET, SimulatedHosts::address(1).c_str(), &address.sin_addr);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (host == 1) {
      const bool listens = bind(end, generic, sizeof address) == 0 && listen(end, 1) == 0;
      if (!listens || write(ready[1], "1", 1) != 1 || accept(end, nullptr, nullptr) < 0) _exit(1);
    } else {
      char byte = 0;
      if (read(ready[0], &byte, 1) != 1 || connect(end, generic, sizeof address) != 0) _exit(1);
      if (std::system("ip link set eth0 down") != 0 || send(end, "?", 1, 0) != 1) _exit(1);
    }
    pause();
    _exit(0);
  };
  std::vector<record::Snapshot> ranks(2);
  for (int host = 0; host < 2; ++host) {
    const pid_t child = fork();
    if (child == 0) on_host(host);
    ranks[static_cast<std::size_t>(host)].pid = child;
    ranks[static_cast<std::size_t>(host)].rank = host;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (ranks[0].unanswered.empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    add_unanswered(ranks);
  }
  for (const record::Snapshot& rank : ranks) {
    kill(static_cast<pid_t>(rank.pid), SIGKILL);
    processes::reap(static_cast<pid_t>(rank.pid));
  }
  close(ready[0]);
  close(ready[1]);
  ASSERT_EQ(ranks[0].unanswered.size(), 1U);
  EXPECT_TRUE(ranks[1].unanswered.empty());
  const record::Unanswered& found = ranks[0].unanswered[0];
  EXPECT_EQ(found.to, SimulatedHosts::address(1));
  EXPECT_EQ(found.rank, 1);
  EXPECT_EQ(found.bytes, 1U);
  EXPECT_GE(found.tries, 3U);
  EXPECT_FALSE(found.has_route);
  EXPECT_TRUE(found.peer_has_route);
}

}  // namespace
}  // namespace gridlock::run
