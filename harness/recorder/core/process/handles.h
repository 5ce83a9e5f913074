// Functions that a program looks up by a handle.
#pragma once

namespace gridlock::recorder {

// glibc's dlsym for a handle, past the recorder's own. Not for RTLD_NEXT and RTLD_DEFAULT.
//   Blocks   on the loader's lock
void* symbol_of(void* handle, const char* name);

}  // namespace gridlock::recorder
