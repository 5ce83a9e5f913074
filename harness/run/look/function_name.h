// The name by which people know a function.
#pragma once

#include <string>
#include <string_view>

namespace gridlock::run {

// "gridlock::(anonymous namespace)::launch_bucket(int)" -> "launch_bucket". A lambda has the name
// of what it is written in: "main::{lambda()#1}::operator()() const" -> "main".
//   name   as abi::__cxa_demangle or DWARF has it
std::string function_name(std::string_view name);

}  // namespace gridlock::run
