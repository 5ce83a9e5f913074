// The short name of a function, as people use it.
#pragma once

#include <string>
#include <string_view>

namespace gridlock::run {

// "gridlock::(anonymous namespace)::launch_bucket(int)" -> "launch_bucket". A lambda gets the name
// of the function around it: "main::{lambda()#1}::operator()() const" -> "main".
//   name   as abi::__cxa_demangle or DWARF gives it
std::string function_name(std::string_view name);

}  // namespace gridlock::run
