// What this program was built from. commit.cmake writes the values at every build.
#pragma once

namespace gridlock::session {

extern const char* const kCommit;  // "" if built outside a git checkout
extern const bool kDirty;          // with changes that are not committed
extern const char* const kCompiler;

}  // namespace gridlock::session
