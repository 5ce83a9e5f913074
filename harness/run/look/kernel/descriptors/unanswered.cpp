// The kernel counts how often it has sent the oldest unacknowledged data again. /proc/<pid>/net
// shows the network namespace of the process, so this holds for ranks on simulated hosts too.
#include "harness/run/look/kernel/descriptors/unanswered.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "harness/base/directory.h"

namespace gridlock::run {
namespace {

// A packet may get lost now and then; the kernel then sends it again, once or twice.
constexpr std::uint32_t kLeastTries = 3;

std::uint64_t hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

std::string whole(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The sockets that a process has open.
std::set<std::uint64_t> sockets_of(std::int64_t pid) {
  std::set<std::uint64_t> inodes;
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  const Directory directory = open_directory(folder);
  if (!directory) return inodes;
  while (const dirent* found = readdir(directory.get())) {
    std::array<char, 64> link{};
    const std::string path = fmt::format("{}/{}", folder, found->d_name);
    if (readlink(path.c_str(), link.data(), link.size() - 1) <= 0) continue;
    constexpr std::string_view kSocket = "socket:[";
    const std::string_view target(link.data());
    if (!target.starts_with(kSocket)) continue;
    inodes.insert(std::strtoull(link.data() + kSocket.size(), nullptr, 10));
  }
  return inodes;
}

std::vector<TcpConnection> own_connections(std::int64_t pid) {
  std::vector<TcpConnection> all;
  const std::set<std::uint64_t> own = sockets_of(pid);
  for (const std::string_view table : {"tcp", "tcp6"}) {
    for (TcpConnection& one : connections_in(whole(fmt::format("/proc/{}/net/{}", pid, table)))) {
      if (own.contains(one.inode)) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

std::vector<TcpConnection> connections_in(const std::string& table) {
  std::vector<TcpConnection> all;
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    // "0: 0100007F:1F90 0100007F:C5D2 01 00000000:00000000 01:00000014 00000002 0 0 1234 …"
    // What never left this host, because it has no route, is probed for and not sent again. An
    // acknowledgement sets both counts to 0.
    std::istringstream words(line);
    std::string number, state, queues, timer, sent_again, user;
    std::uint32_t probes = 0;
    TcpConnection one;
    words >> number >> one.local >> one.remote >> state >> queues >> timer >> sent_again >> user >>
        probes >> one.inode;
    constexpr std::string_view kConnects = "02";  // its queue holds no data yet
    constexpr std::string_view kListens = "0A";   // its queue counts connections
    if (!words || state == kConnects || state == kListens) continue;
    one.unsent = hexadecimal(std::string_view(queues).substr(0, queues.find(':')));
    one.tries = static_cast<std::uint32_t>(hexadecimal(sent_again)) + probes;
    all.push_back(std::move(one));
  }
  return all;
}

std::string address_text(const std::string& endpoint) {
  const std::string_view address = std::string_view(endpoint).substr(0, endpoint.find(':'));
  constexpr std::string_view kMapped = "0000000000000000FFFF0000";  // IPv4 in an IPv6 socket
  const bool is_mapped = address.starts_with(kMapped);
  if (address.size() != 8 && !is_mapped) return std::string(address);
  const std::uint64_t bytes = hexadecimal(is_mapped ? address.substr(kMapped.size()) : address);
  return fmt::format("{}.{}.{}.{}", bytes & 255, bytes >> 8 & 255, bytes >> 16 & 255,
                     bytes >> 24 & 255);
}

bool has_route(const std::string& routes, const std::string& endpoint) {
  const std::string_view address = std::string_view(endpoint).substr(0, endpoint.find(':'));
  if (address.size() != 8) return true;
  const std::uint64_t to = hexadecimal(address);
  std::istringstream lines(routes);
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    // "eth0 00004D0A 00000000 0001 0 0 0 00FFFFFF 0 0 0"
    std::istringstream words(line);
    std::string device, target, gateway, flags, references, use, metric, mask;
    words >> device >> target >> gateway >> flags >> references >> use >> metric >> mask;
    if (words && (to & hexadecimal(mask)) == hexadecimal(target)) return true;
  }
  return false;
}

void add_unanswered(std::span<record::Snapshot> snapshots) {
  std::vector<std::vector<TcpConnection>> all;
  // By local and remote end.
  std::map<std::pair<std::string, std::string>, const record::Snapshot*> owners;
  for (const record::Snapshot& snapshot : snapshots) {
    const bool lives = snapshot.process == record::ProcessState::alive && snapshot.pid != 0;
    all.push_back(lives ? own_connections(snapshot.pid) : std::vector<TcpConnection>{});
    for (const TcpConnection& one : all.back()) owners[{one.local, one.remote}] = &snapshot;
  }
  const auto leads = [](const record::Snapshot& from, const std::string& to) {
    return has_route(whole(fmt::format("/proc/{}/net/route", from.pid)), to);
  };
  for (std::size_t index = 0; index < snapshots.size(); ++index) {
    record::Snapshot& snapshot = snapshots[index];
    snapshot.unanswered.clear();
    for (const TcpConnection& one : all[index]) {
      if (one.unsent == 0 || one.tries < kLeastTries) continue;
      const auto peer = owners.find({one.remote, one.local});
      const bool is_known = peer != owners.end();
      snapshot.unanswered.push_back(
          {.to = address_text(one.remote),
           .rank = is_known ? peer->second->rank : -1,
           .bytes = one.unsent,
           .tries = one.tries,
           .has_route = leads(snapshot, one.remote),
           .peer_has_route = !is_known || leads(*peer->second, one.local)});
    }
  }
}

}  // namespace gridlock::run
