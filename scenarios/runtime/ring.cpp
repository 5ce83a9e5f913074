// Connects the neighbors of a ring, and passes messages between them.
#include "scenarios/runtime/ring.h"

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"

namespace gridlock {
namespace {

// The number of messages that connect() sends in one direction of a pair. In a ring of two, both
// neighbors are the same rank.
int after_connecting(int ranks) { return ranks == 2 ? 2 : 1; }

}  // namespace

Ring::Ring(Rank& of, std::size_t floats, Pairs pairs)
    : rank(of),
      size(of.world_size()),
      next((of.rank() + 1) % size),
      previous((of.rank() + size - 1) % size),
      communicator(open_communicator(of, "ring")),
      stream(of.stream()),
      out(floats, stream),
      in(floats, stream),
      host(2) {
  check(kernels::launch_fill(out.data(), static_cast<std::int64_t>(floats),
                             static_cast<float>(rank.rank()), stream));
  if (pairs == Pairs::connected) connect();
  rank.wait_for(stream);
  rank.report().begin_steps();
}

// Connects both neighbors in both directions, with a message of one number each.
void Ring::connect() const {
  const Label here("exchange/connect");
  check(ncclGroupStart());
  for (const int peer : {next, previous}) {
    check(ncclSend(out.data(), 1, ncclFloat32, peer, communicator, stream));
    check(ncclRecv(in.data(), 1, ncclFloat32, peer, communicator, stream));
  }
  check(ncclGroupEnd());
}

[[gnu::noinline]] void Ring::send(int to) const {
  const Label here("exchange/send");
  check(ncclSend(out.data(), out.size(), ncclFloat32, to, communicator, stream));
}

[[gnu::noinline]] void Ring::receive(int from) const {
  const Label here("exchange/receive");
  check(ncclRecv(in.data(), in.size(), ncclFloat32, from, communicator, stream));
}

void Ring::finish() const {
  check(cudaMemcpyAsync(host.data(), in.data(), sizeof(float), cudaMemcpyDeviceToHost, stream));
  check(cudaMemcpyAsync(host.data() + 1, in.data() + in.size() - 1, sizeof(float),
                        cudaMemcpyDeviceToHost, stream));
  rank.wait_for(stream);
  const auto sender = static_cast<float>(previous);
  rank.report().numbers(host[0] == sender && host[1] == sender, "the sender's number, exact");
  rank.report().step_done();
}

Place send_at(int ranks) {
  return {"exchange/send", Operation::send, "ring", after_connecting(ranks), "send"};
}
Place receive_at(int ranks) {
  return {"exchange/receive", Operation::recv, "ring", after_connecting(ranks), "receive"};
}
Place first_send_at() { return {"exchange/send", Operation::send, "ring", 0, "send"}; }

}  // namespace gridlock
