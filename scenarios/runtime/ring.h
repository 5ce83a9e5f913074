// A ring of ranks that pass messages: for scenarios about sends and receives.
#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "scenarios/expectation.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {

constexpr std::size_t kSmallMessage = 256;                   // floats: 1 KiB
constexpr std::size_t kLargeMessage = std::size_t{8} << 20;  // 32 MiB: fits no buffer of NCCL's

enum class Pairs { connected, new_to_each_other };

// Each rank sends to one neighbor and receives from the other. Two ranks are a pair.
struct Ring {
  //   Collective, Blocks  opens the communicator "ring" and, unless told otherwise, connects the
  //                       neighbors
  Ring(Rank& of, std::size_t floats, Pairs pairs = Pairs::connected);

  //   Blocks  only at a pair's first message
  void send(int to) const;
  void receive(int from) const;

  // Checks the first and last numbers received.
  //   Blocks  until the exchange is over
  void finish() const;

  //   Collective, Blocks
  void close() const { close_communicator(communicator); }

  Rank& rank;
  int size;
  int next;
  int previous;
  ncclComm_t communicator;
  cudaStream_t stream;
  Buffer<float> out;
  Buffer<float> in;
  PinnedBuffer<float> host;

 private:
  void connect() const;
};

// Where ranks wait in the scenario's first message to or from a neighbor.
Place send_at(int ranks);
Place receive_at(int ranks);
// The same if that message is the first of its pair.
Place first_send_at();

}  // namespace gridlock
