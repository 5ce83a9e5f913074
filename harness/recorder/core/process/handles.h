// Functions that a program looks up by a handle.
#pragma once

namespace gridlock::recorder {

// glibc's dlsym, past the recorder's own and one that the program may define itself. RTLD_NEXT
// means what follows the recorder.
//   Blocks   on the loader's lock
void* symbol_of(void* handle, const char* name);

}  // namespace gridlock::recorder
