# Puts the page's style and script into a source, in the order of their names. Run as:
#   cmake -DFOLDER=<view> -DOUTPUT=<file.cpp> -P view.cmake
# Compilers limit the length of a string literal, so each file becomes its own literal, and the
# compiler joins adjacent literals.
function(literals result)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} text)
    string(APPEND all "    R\"view(${text})view\"\n")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

file(GLOB styles ${FOLDER}/*.css)
file(GLOB scripts ${FOLDER}/*.js)
literals(style ${styles})
literals(script ${scripts})
# NOLINT: the joined literal is longer than the standard demands.
file(WRITE ${OUTPUT} "// Made by view.cmake from the files of view/.
#include \"harness/report/page/view.h\"

// NOLINTBEGIN(clang-diagnostic-overlength-strings)
namespace gridlock::report {
const std::string_view kStyle =
${style}    ;
const std::string_view kScript =
${script}    ;
}  // namespace gridlock::report
// NOLINTEND(clang-diagnostic-overlength-strings)
")
