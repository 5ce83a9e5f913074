// Which threads of the process the vendors' libraries, and the recorder, have started for
// themselves: they act for the program only where a record shows why. Who made a thread decides,
// not its name, which a thread inherits from the program.
#pragma once

namespace gridlock::recorder {

// Copies what is known so far into the box, which was claimed just now.
void publish_library_threads();

// In a forked child, which has its parent's memory and none of its threads.
void forget_library_threads();

}  // namespace gridlock::recorder
