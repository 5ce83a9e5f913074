// Lets the agents meet, take their roles, and end.
#include "harness/agents/join.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "harness/agents/connect.h"
#include "harness/agents/follower.h"
#include "harness/agents/launcher.h"
#include "harness/agents/leader.h"
#include "harness/base/file_descriptor.h"
#include "harness/processes/interrupts.h"

namespace gridlock::agents {
namespace {

const char* value_of(const char* name) { return std::getenv(name); }

// All other agents, ordered by index.
std::vector<Listener::Guest> all_guests(Listener& listener, int agents) {
  std::vector<Listener::Guest> guests(static_cast<std::size_t>(agents) - 1);
  for (int missing = agents - 1; missing > 0;) {
    Listener::Guest guest = listener.accept();
    const int index = guest.greeting.index;
    if (index < 1 || index >= agents) continue;
    // An agent that connects again gave up its first connection.
    Listener::Guest& place = guests[static_cast<std::size_t>(index) - 1];
    if (place.channel == nullptr) --missing;
    place = std::move(guest);
  }
  return guests;
}

}  // namespace

int launched_agents() { return launched_agents(value_of); }

int lead_or_follow(const catalogue::Installation& installation, const std::string& version,
                   const std::function<int(run::Fellows*)>& lead) {
  const int agents = launched_agents();
  if (agents == 1) return lead(nullptr);
  std::optional<Listener> listener;
  const Met met = meet(agents, [&] {
    listener.emplace();
    return to_bytes(listener->invitation());
  });
  const Invitation invitation = invitation_from(met.invitation);
  const Greeting greeting{.secret = invitation.secret,
                          .index = met.index,
                          .host = host_name(),
                          .machine = machine_name(),
                          .version = version};
  if (met.index == 0) {
    Leader leader(greeting, all_guests(*listener, met.agents), installation);
    listener.reset();
    return lead(&leader);
  }
  raise_descriptor_limit();
  processes::Interrupts interrupts;
  const std::unique_ptr<Channel> channel = connect(invitation, greeting);
  const Beats beats({channel.get()});
  return Follower(*channel, installation, interrupts).run();
}

}  // namespace gridlock::agents
