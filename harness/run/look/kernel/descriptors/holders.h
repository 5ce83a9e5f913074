// Which processes hold the other ends of a descriptor's pipe or local socket, or its file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/base/duration.h"
#include "harness/record/sleep.h"
#include "harness/run/look/kernel/descriptors/wakers.h"
#include "harness/run/look/kernel/descriptors/wanted.h"

namespace gridlock::run {

// What is read. To read the descriptors of a whole host takes milliseconds, so a first look takes
// the job to be alone: no process outside it holds anything, no descriptor travels in a message,
// and the kernel has no work of its own to do for it. Such a look proves nothing.
enum class Scope : std::uint8_t { job, host };

class Holders {
 public:
  // `job`: all its processes on this host. `spread`: others are on other hosts. Nothing is read
  // before it is needed.
  Holders(std::span<const JobProcess> job, Scope scope, bool spread)
      : job_(job), scope_(scope), spread_(spread) {}

  // The processes that can end a wait at descriptor `number` of `pid`. Empty optional: something
  // outside the job may end it (a terminal, a network, a program that ran before), it may end by
  // itself (a timer), or it is not known.
  std::optional<Wakers> wakers(pid_t pid, int number, Wanted wanted);

  // The processes that have the file at descriptor `number` of `pid` open. Empty optional: as for
  // wakers().
  std::optional<Wakers> openers(pid_t pid, int number);

  // The same for a message queue (mq_open). While it has a name, anybody may open it.
  std::optional<Wakers> users_of_queue(pid_t pid, int number);

  // The job's connections to other hosts, but for those that something outside it may use.
  std::vector<record::FarConnection> far_connections();

  // Whether `pid` has a descriptor through which it gives the kernel work (io_uring).
  static bool has_ring(pid_t pid);

  // The same as openers() of a regular file by its text (links.h).
  std::optional<Wakers> openers(const std::string& file);

 private:
  struct Holder {
    record::ProcessKey process = 0;
    pid_t pid = 0;
    int number = -1;
    bool reads = false;
    bool writes = false;
  };
  static constexpr record::ProcessKey kStranger = 0;  // not of the job
  static constexpr record::ProcessKey kNobody = record::process_key(-1, -1);

  void find_holders();
  // Adds what the folder of descriptors shows; false if that is nothing.
  bool add_folder(const std::string& folder, pid_t pid, record::ProcessKey process);
  void add_holders(pid_t pid, record::ProcessKey process);
  // Notes what the holders of a descriptor can do besides using it.
  void note(const std::string& file, const Holder& holder);
  // Whether a process of the job has given work to the kernel by Linux AIO.
  bool one_has_aio();
  // Whether the kernel may use `file` in work that a process of the job has given it. It keeps the
  // file while that lasts, also if no process has a descriptor of it any more: a ring any file, AIO
  // a counter, to which it adds.
  bool may_be_used_by_kernel(const std::string& file);
  // Adds the holders of `file` to `wakers`, and who can receive a descriptor that is in transit, as
  // it may lead there. False if one is a stranger, or the kernel may use the file.
  bool add(const std::string& file, Wanted wanted, Wakers& wakers);
  // `but`: the process that does not count.
  bool add_holders_of(const std::string& file, Wanted wanted, Wakers& wakers,
                      record::ProcessKey but = kNobody);
  std::optional<Wakers> of_socket(pid_t pid, int number, const std::string& file, Wanted wanted);
  // Of a process descriptor, which becomes ready when the process ends.
  std::optional<Wakers> of_process(const std::string& info) const;
  std::optional<Wakers> of_epoll(pid_t pid, int number);

  std::span<const JobProcess> job_;
  Scope scope_;
  bool spread_;
  bool were_found_ = false;
  bool one_is_hidden_ = false;  // nobody may look at the descriptors of a process of the job
  std::unordered_map<std::string, std::vector<Holder>> holders_;  // by file
  std::unordered_set<std::string> in_transit_;  // sockets of the job with descriptors in messages
  bool one_has_ring_ = false;                   // a process of the job has one (io_uring)
  std::optional<bool> one_has_aio_;
};

}  // namespace gridlock::run
