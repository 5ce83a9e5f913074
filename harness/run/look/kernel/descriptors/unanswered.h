// Finds what ranks have sent to other hosts over TCP without an answer.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// A connection of a process, from a line of /proc/<pid>/net/tcp or tcp6.
struct TcpConnection {
  std::string local;  // address and port as the kernel writes them: "01004D0A:A1B2"
  std::string remote;
  std::uint64_t inode = 0;
  std::uint64_t unsent = 0;  // bytes that are not acknowledged
  std::uint32_t tries = 0;   // to send them again, since the last acknowledgement
};

std::vector<TcpConnection> connections_in(const std::string& table);

// "10.77.0.1" from "01004D0A:A1B2"; an IPv6 address stays as the kernel writes it.
std::string address_text(const std::string& endpoint);

// Whether one of the routes in /proc/<pid>/net/route leads to `endpoint`, an IPv4 one.
bool has_route(const std::string& routes, const std::string& endpoint);

// Fills Snapshot::unanswered of this agent's living ranks. Where both ends belong to these, each
// names the other's rank. Connections within a host always answer.
//   Blocks  no; reads a few files of each rank
void add_unanswered(std::span<record::Snapshot> snapshots);

}  // namespace gridlock::run
