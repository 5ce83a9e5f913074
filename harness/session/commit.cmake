# Writes commit.cpp when the commit has changed. Run as: cmake -DSOURCE=… -DOUTPUT=… -DCOMPILER=… -P commit.cmake
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")
endif()
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
                OUTPUT_VARIABLE changes ERROR_QUIET)
if(changes STREQUAL "")
  set(dirty false)
else()
  set(dirty true)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [==[#include "harness/session/commit.h"

namespace gridlock::session {

const char* const kCommit = "@commit@";
const bool kDirty = @dirty@;
const char* const kCompiler = "@COMPILER@";

}  // namespace gridlock::session
]==])
