// Hosts that wait to connect for the first message of a pair, and will get there.
#include "tests/harness/detect/healthy.h"

namespace gridlock::detect::states {
namespace {

const Living kAliveFirstMessages[] = {
    {"one_is_late",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) {
         rank->send(rank->box.rank + 1).not_started().connect();
       }
       return world;
     }},
    {"one_receives_first",
     [] {
       World world(3);
       world[0].recv(2).not_started().connect();
       world[1].send(2).not_started().connect();
       world[2].send(0).not_started().connect();
       return world;
     }},
    {"the_receive_is_called",  // the host goes on in a moment
     [] {
       World world(2);
       world[0].send(1).not_started().connect();
       world[1].recv(0).device_synchronize();
       return world;
     }},
    {"the_receive_is_called_in_a_group_that_connects",
     [] {
       World world(3);
       world[0].send(1).not_started().connect();
       world[1].group_begin().recv(0).send(2).group_end().not_started().connect();
       return world;
     }},
    // The other side's stream waits for this rank, but its host need not.
    {"the_peers_stream_is_behind",
     [] {
       World world(2);
       world[0].send(1).not_started().connect();
       world[1].all_reduce("loss");
       return world;
     }},
    // Only the new pair connects. A message that fits the buffer does not wait for its receiver.
    {"a_group_of_a_known_pair_and_a_new_one",
     [] {
       World world(3);
       world[0].send(1).done(1);
       world[0].group_begin().send(1).send(2).group_end().not_started().connect();
       world[1].recv(0).done(1).all_reduce("loss").device_synchronize();
       return world;
     }},
    {"a_group_of_a_known_communicator_and_a_new_pair",
     [] {
       World world = two_communicators(3);
       for (Rank& rank : world.ranks()) rank.all_reduce("loss").done(1);
       world[0].group_begin().all_reduce("loss").send(1).group_end().not_started().connect();
       world[2].in("second").all_reduce("norm").device_synchronize();
       return world;
     }},
    {"a_message_to_oneself_connects_nobody",  // it is refused at once
     [] {
       World world(1);
       world[0].send(0).not_started().connect();
       return world;
     }},
    {"another_thread_has_aborted_the_communicator",
     [] {
       World world(2);
       world[0].send(1).not_started().connect();
       world[0].box.communicators[0].state = record::CommunicatorState::aborted;
       world[1].exit(1);
       return world;
     }},
};

INSTANTIATE_TEST_SUITE_P(FirstMessages, Healthy, testing::ValuesIn(kAliveFirstMessages),
                         name_of_living);

}  // namespace
}  // namespace gridlock::detect::states
