// One pass over a box. Internal to the reader; other code includes reader.h.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/record/format.h"
#include "harness/record/words.h"

namespace gridlock::record {

class Reading {
 public:
  Reading(const Box& box, std::uint64_t since, Snapshot* snapshot)
      : box_(box), out_(*snapshot), since_(since) {}

  // Whether everything that was read refers only to things that were read.
  bool run();
  void read_modules();

 private:
  enum class Found : std::uint8_t { complete, being_written, overwritten };

  void damaged(const std::string& sentence);
  std::uint32_t counted(const std::uint32_t& count, std::uint32_t limit, const char* what);
  void changed(std::int64_t time_ns);

  void read_threads();
  static void read_asked(const ThreadEntry& entry, Thread& thread);
  void read_communicators();
  void read_pairs();
  void read_streams();
  // Finds, for each thread, the streams that stand for the requests it waits for.
  void find_requests();
  // The full position of which `word` is the low half; it is not beyond `enqueued`.
  std::uint64_t position(std::uint32_t word, std::uint64_t enqueued, std::uint32_t stream);

  Found load_operation(std::uint64_t index, OperationEntry* entry) const;
  // Whether its thread waits in the call, or in the end of its group, for other ranks to connect.
  bool is_awaited(const OperationEntry& entry) const;
  // Gives an operation that is awaited the slot that it will get: what its thread has announced
  // comes next. Another thread's call may have been announced later and launched before.
  void number(const OperationEntry& entry, Operation& operation);
  // Adds the operation; false if it refers to something that this reading has not seen.
  bool add(std::uint64_t index, const OperationEntry& entry);
  // Adds everything on the chain of `stream` that the device is not past.
  void collect_in_flight(std::uint32_t stream, std::set<std::uint64_t>* indexes);
  // Adds everything in the groups that threads wait to end.
  void collect_groups(std::uint64_t head, std::set<std::uint64_t>* indexes);
  void collect(std::uint64_t head);

  // What threads have announced and wait for, on one communicator: its collectives, or its messages
  // in one direction with one peer.
  struct AwaitedKey {
    std::uint32_t communicator;
    std::int32_t peer;
    bool sends;
    auto operator<=>(const AwaitedKey&) const = default;
  };
  struct Awaited {
    std::uint32_t thread = kNone;
    std::uint64_t operations = 0;
  };

  const Box& box_;
  Snapshot& out_;
  std::uint64_t since_;
  bool resolved_ = true;
  std::vector<std::uint64_t> first_operation_;                       // by communicator
  std::unordered_map<std::uint64_t, std::size_t> by_serial_;         // communicators
  std::vector<std::uint64_t> last_operation_;                        // by stream
  std::vector<std::uint64_t> first_of_group_;                        // by thread
  std::vector<std::array<std::uint64_t, kRequests / 64>> requests_;  // by thread
  std::map<AwaitedKey, Awaited> awaited_;
};

// Text that may lack its terminating zero.
std::string bounded(const char* text, std::size_t size);

}  // namespace gridlock::record
