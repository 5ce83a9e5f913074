// Which libraries are mapped where, so that callers can be named after the process is gone.
#pragma once

namespace gridlock::recorder {

// Adds what was loaded since the last call. Called at the claim and at every communicator's init.
//   Blocks   on the loader's lock
void refresh_modules();

}  // namespace gridlock::recorder
