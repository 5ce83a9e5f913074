# CUDA sources for the simulated CUDA, whose device code sim/ptx interprets. Needs clang 19 or newer.
find_program(GRIDLOCK_CLANG_CUDA NAMES clang++-40 clang++-39 clang++-38 clang++-37 clang++-36 clang++-35 clang++-34
  clang++-33 clang++-32 clang++-31 clang++-30 clang++-29 clang++-28 clang++-27 clang++-26 clang++-25 clang++-24 clang++-23
  clang++-22 clang++-21 clang++-20 clang++-19 NO_CACHE)

# gridlock_interpreted(<variable> <sources>): puts the objects of the sources into the variable.
function(gridlock_interpreted variable)
  set(objects "")
  set(script ${PROJECT_SOURCE_DIR}/scripts/clang_cuda.sh)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sim/include/*.h)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/interpreted/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E env GRIDLOCK_CLANG=${GRIDLOCK_CLANG_CUDA}
        ${script} ${source} ${object} -std=c++20 -O2 -w -I${PROJECT_SOURCE_DIR}
      DEPENDS ${source} ${script} ${headers} DEPFILE ${object}.d
      COMMENT "Compiling ${name}.cu for the simulation")
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/interpreted)
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()
