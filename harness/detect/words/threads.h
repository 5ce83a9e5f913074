// What threads do, as the kernel shows it.
#pragma once

#include <span>
#include <string>

#include "harness/detect/verdict/phrases.h"

namespace gridlock::detect {

// "asleep in recv(5, socket) (kernel: sk_wait_data)".
std::string doing_text(char state, const std::string& syscall, const std::string& wait_channel);

// "the main thread of rank 1 (python3, running) and process 4711 (sh, asleep in wait4)". Of many,
// the first six are named.
std::string actors_text(std::span<const phrase::MayAct::Actor> actors);

}  // namespace gridlock::detect
