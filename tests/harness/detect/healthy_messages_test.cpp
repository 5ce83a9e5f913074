// Sends, receives and rooted collectives, in which not every rank waits for every other.
#include "tests/harness/detect/healthy.h"

namespace gridlock::detect::states {
namespace {

const Living kAliveMessages[] = {
    {"small_sends_first",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         rank.send(1 - rank.box.rank).recv(1 - rank.box.rank).device_synchronize();
       }
       return world;
     }},
    {"grouped_large_ring",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         rank.count(kLarge).group_begin().send((own + 1) % 4).recv((own + 3) % 4).group_end();
         rank.device_synchronize();
       }
       return world;
     }},
    {"one_receives_first",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         rank.count(kLarge);
         if (own == 0) rank.recv(2).send(1);
         if (own != 0) rank.send((own + 1) % 3).recv(own - 1);
         rank.device_synchronize();
       }
       return world;
     }},
    {"message_sent_and_sender_busy",
     [] {
       World world(2);
       world[0].send(1).all_done();
       world[1].recv(0).device_synchronize();
       return world;
     }},
    {"message_sent_and_sender_gone",
     [] {
       World world(2);
       world[0].send(1).all_done().exit(0);
       world[1].recv(0).device_synchronize();
       return world;
     }},
    {"earlier_messages_were_taken",
     [] {
       World world(2);
       world[0].count(kLarge / 8);
       world[1].count(kLarge / 8);
       for (int message = 0; message < 5; ++message) world[0].send(1);
       for (int message = 0; message < 4; ++message) world[1].recv(0);
       world[0].done(4).device_synchronize();
       world[1].all_done().send(0).device_synchronize();
       return world;
     }},
    {"broadcast_from_a_root_that_went_on",
     [] {
       World world(3);
       world[0].broadcast("weights").all_done().exit(0);
       for (Rank* rank : world.some(1, 2)) rank->broadcast("weights").device_synchronize();
       return world;
     }},
    {"broadcast_leaf_does_not_wait_for_leaves",
     [] {
       World world(3);
       world[0].broadcast("weights").all_done();
       world[1].broadcast("weights").device_synchronize();
       world[2].exit(0);
       return world;
     }},
    {"small_reduce_leaf_waits_for_nobody",
     [] {
       World world(3);
       world[1].reduce("loss").device_synchronize();
       world[0].exit(0);
       world[2].exit(0);
       return world;
     }},
};

INSTANTIATE_TEST_SUITE_P(Messages, Healthy, testing::ValuesIn(kAliveMessages), name_of_living);

}  // namespace
}  // namespace gridlock::detect::states
