// Who can end a thread's sleep, among the processes of the job.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/sleep.h"

namespace gridlock::run {

// A process of the job that this agent sees.
struct JobProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  record::ProcessKey key = 0;
  bool is_rank = false;
};

struct Wakers {
  std::vector<record::ProcessKey> keys;
  bool has_name = false;  // see Sleep::has_name
  bool anybody = false;   // any other process of the host can too
  bool has_far_limit = false;
  std::vector<std::string> far_ends;   // see Sleep::far_ends
  std::vector<std::string> listeners;  // by the names of their sockets: port or path
  // Who is at the other end of a connection, with the name of the socket at this end.
  std::vector<std::pair<std::string, record::ProcessKey>> connected;

  void add(const Wakers& more);
  // Whether `keys` are all who can, but for those who use a name or connect to a listener.
  bool are_listed() const;
  // Whether all ranks of `job`, one of which is not `server` itself, are connected to each
  // listener, as to the server of a store. Another server may well wait for clients from outside.
  bool serves_all_ranks(std::span<const JobProcess> job, record::ProcessKey server) const;
};

}  // namespace gridlock::run
