// Runs the program that is its argument. Every rank is a thread of this process with its own
// device, and really makes the program's calls. The runner starts the worker with the recorder
// preloaded, and kills it at the end.
//
// On stdout, one line each: "thread <rank> <tid>" before a rank's first call, "returned <rank>"
// after its last one, "crashed <rank>" if it dies instead, "failed <sentence>" if a call gave an
// error.
#include "tests/fuzz/worker.h"

#include <cuda_runtime.h>
#include <nccl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/runtime/source_location.h"
#include "tests/fuzz/program.h"

namespace gridlock::fuzz {
namespace {

void say(const std::string& line) {
  const std::string text = line + "\n";
  static_cast<void>(!write(STDOUT_FILENO, text.data(), text.size()));
}

[[noreturn]] void fail(const std::string& what, SourceLocation at) {
  throw std::runtime_error(what + " at line " + std::to_string(at.line()));
}

void check(cudaError_t error, SourceLocation at = SourceLocation::current()) {
  if (error != cudaSuccess) fail(cudaGetErrorString(error), at);
}

void check(ncclResult_t result, SourceLocation at = SourceLocation::current()) {
  if (result != ncclSuccess) fail(ncclGetErrorString(result), at);
}

template <class Value>
Value& at(std::vector<Value>& values, int index) {
  return values.at(static_cast<std::size_t>(index));
}

// What one rank holds while it runs. Nothing is freed, because the process ends by a kill.
class Rank {
 public:
  Rank(const Program& program, int rank, const std::vector<ncclUniqueId>& ids)
      : code_(program.ranks[static_cast<std::size_t>(rank)]) {
    check(cudaSetDevice(rank));
    // No one checks the data, so all operations read one buffer. Each stream has one buffer to
    // write, because two streams that write the same one would race. A gather has one part per
    // rank.
    check(cudaMalloc(&source_, kLargeBytes * kMaxRanks));
    for (int index = 0; index < kMaxStreams; ++index) {
      check(cudaMalloc(&targets_.emplace_back(), kLargeBytes * kMaxRanks));
    }
    for (const Instruction& instruction : code_) {
      if (instruction.op == Op::free) check(cudaMalloc(&to_free_.emplace_back(), kSmallBytes));
    }
    for (std::size_t index = 0; index < ids.size(); ++index) {
      const std::vector<int>& members = program.communicators[index];
      ncclComm_t communicator = nullptr;
      const int own = rank_in(members, rank);
      if (own >= 0) {
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        const std::string name(1, static_cast<char>('A' + index));
        config.commName = name.c_str();
        check(ncclCommInitRankConfig(&communicator, static_cast<int>(members.size()), ids[index],
                                     own, &config));
      }
      communicators_.push_back(communicator);
    }
    for (int index = 0; index < kMaxStreams; ++index) {
      check(cudaStreamCreateWithFlags(&streams_.emplace_back(), is_blocking_stream(index)
                                                                    ? cudaStreamDefault
                                                                    : cudaStreamNonBlocking));
    }
    for (int index = 0; index < kMaxEvents; ++index) {
      check(cudaEventCreateWithFlags(&events_.emplace_back(), cudaEventDisableTiming));
    }
  }

  // Returns  whether the rank came to its end without a crash
  // Blocks   as the program does, perhaps for ever
  bool run() {
    for (std::size_t begin = 0; begin < code_.size();) {
      if (code_[begin].op == Op::crash) {
        check(cudaDeviceSynchronize());
        return false;
      }
      const std::size_t end = group_end(code_, begin);
      if (end - begin > 1) check(ncclGroupStart());
      for (std::size_t index = begin; index < end; ++index) call(code_[index]);
      if (end - begin > 1) check(ncclGroupEnd());
      begin = end;
    }
    check(cudaDeviceSynchronize());
    return true;
  }

 private:
  void call(const Instruction& instruction) {
    if (is_communication(instruction.op)) {
      communicate(instruction, at(communicators_, instruction.communicator));
      return;
    }
    switch (instruction.op) {
      case Op::record_event:
        check(cudaEventRecord(at(events_, instruction.event), at(streams_, instruction.stream)));
        break;
      case Op::wait_event:
        check(cudaStreamWaitEvent(at(streams_, instruction.stream), at(events_, instruction.event),
                                  0));
        break;
      case Op::sync_event:
        check(cudaEventSynchronize(at(events_, instruction.event)));
        break;
      case Op::sync_stream:
        check(cudaStreamSynchronize(at(streams_, instruction.stream)));
        break;
      case Op::copy: {
        std::array<char, kSmallBytes> pageable;
        check(cudaMemcpy(pageable.data(), source_, kSmallBytes, cudaMemcpyDeviceToHost));
        break;
      }
      case Op::free:
        check(cudaFree(to_free_.back()));
        to_free_.pop_back();
        break;
      case Op::abort:
        check(cudaDeviceSynchronize());
        check(ncclCommAbort(at(communicators_, instruction.communicator)));
        break;
      default:
        check(cudaDeviceSynchronize());
        break;
    }
  }

  void communicate(const Instruction& call, ncclComm_t communicator) {
    const cudaStream_t stream = at(streams_, call.stream);
    void* target = at(targets_, call.stream);
    const std::size_t bytes = call.size == Size::small ? kSmallBytes : kLargeBytes;
    const std::size_t count = bytes / sizeof(float);
    switch (call.op) {
      case Op::all_reduce:
        check(ncclAllReduce(source_, target, count, ncclFloat, ncclSum, communicator, stream));
        break;
      case Op::all_gather:
        check(ncclAllGather(source_, target, count, ncclFloat, communicator, stream));
        break;
      case Op::reduce_scatter:
        check(ncclReduceScatter(source_, target, count, ncclFloat, ncclSum, communicator, stream));
        break;
      case Op::broadcast:
        check(ncclBroadcast(source_, target, count, ncclFloat, call.peer, communicator, stream));
        break;
      case Op::reduce:
        check(ncclReduce(source_, target, count, ncclFloat, ncclSum, call.peer, communicator,
                         stream));
        break;
      case Op::send:
        check(ncclSend(source_, count, ncclFloat, call.peer, communicator, stream));
        break;
      default:
        check(ncclRecv(target, count, ncclFloat, call.peer, communicator, stream));
        break;
    }
  }

  const std::vector<Instruction>& code_;
  void* source_ = nullptr;
  std::vector<void*> targets_;  // by stream
  std::vector<void*> to_free_;
  std::vector<ncclComm_t> communicators_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
};

void run_rank(const Program& program, int rank, const std::vector<ncclUniqueId>& ids) {
  try {
    say("thread " + std::to_string(rank) + " " + std::to_string(syscall(SYS_gettid)));
    const bool returned = Rank(program, rank, ids).run();
    say((returned ? "returned " : "crashed ") + std::to_string(rank));
  } catch (const std::exception& error) {
    say("failed rank " + std::to_string(rank) + ": " + error.what());
  }
}

void run_program(const Program& program) {
  std::vector<ncclUniqueId> ids(program.communicators.size());
  for (ncclUniqueId& id : ids) check(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    threads.emplace_back(run_rank, std::cref(program), static_cast<int>(rank), std::cref(ids));
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace gridlock::fuzz

int main(int count, char** arguments) {
  try {
    gridlock::fuzz::run_program(gridlock::fuzz::parse(count > 1 ? arguments[1] : ""));
  } catch (const std::exception& error) {
    gridlock::fuzz::say(std::string("failed ") + error.what());
    return 1;
  }
  for (;;) pause();  // the runner ends it
}
