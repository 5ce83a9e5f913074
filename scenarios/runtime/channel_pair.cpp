// Two channels of all ranks.
#include "scenarios/runtime/channel_pair.h"

namespace gridlock {

ChannelPair::ChannelPair(Rank& of, cudaStream_t first_stream, cudaStream_t second_stream)
    : rank(of),
      first(open_channel(of, "first", first_stream)),
      second(open_channel(of, "second", second_stream)) {
  rank.report().begin_steps();
}

void ChannelPair::reduce_first(int step) const {
  all_reduce(first, "first/all_reduce", static_cast<float>(rank.rank() + step));
}

void ChannelPair::reduce_second(int step) const {
  all_reduce(second, "second/all_reduce", static_cast<float>(rank.rank() + step));
}

void ChannelPair::chain(const Channel& earlier) const {
  const Channel& later = &earlier == &first ? second : first;
  check(cudaEventRecord(behind_.get(), earlier.stream));
  check(cudaStreamWaitEvent(later.stream, behind_.get(), 0));
}

void ChannelPair::finish(int step) const {
  check_sum(rank, first, step);
  check_sum(rank, second, step);
  rank.report().step_done();
}

void ChannelPair::close() const {
  close_communicator(first.communicator);
  close_communicator(second.communicator);
}

}  // namespace gridlock
