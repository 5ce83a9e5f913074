// The process's threads that the vendors' libraries and the recorder started for themselves. They
// act for the program only where the record shows why. A thread is classified by the code it runs,
// not by its name, which it inherits from the program.
#pragma once

namespace gridlock::recorder {

// Copies what is known so far into the box, which has just been claimed.
void publish_library_threads();

// Called in a forked child, which has its parent's memory but none of its threads.
void forget_library_threads();

}  // namespace gridlock::recorder
