// The recorder's table of MPI's functions, against the real header: each function has as many
// arguments as its row, and arguments with a role have the role's type.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "harness/recorder/mpi/arguments.h"

namespace gridlock::recorder {
namespace {

// Whether MPI's argument may have the role.
template <class Argument>
constexpr bool fits(Role role, bool large) {
  const auto is = []<class... Types>(std::type_identity<Types>...) {
    return (std::is_same_v<Argument, Types> || ...);
  };
  const auto is_count = [&]<class Small, class Large>(std::type_identity<Small> few,
                                                      std::type_identity<Large> many) {
    return large ? is(many) : is(few);
  };
  constexpr std::type_identity<int> number;
  constexpr std::type_identity<int*> numbers;
  switch (role) {
    case Role::count:
    case Role::sent:
    case Role::room:
      return is_count(number, std::type_identity<MPI_Count>());
    case Role::counts:
    case Role::sent_counts:
    case Role::received_counts:
      return is_count(std::type_identity<const int*>(), std::type_identity<const MPI_Count*>());
    case Role::type:  // MPICH's handles are numbers
    case Role::send_type:
    case Role::in_type:
    case Role::communicator:
    case Role::root:
    case Role::peer:
    case Role::tag:
    case Role::source:
    case Role::in_tag:
      return is(number);
    case Role::request:
    case Role::requests:
      return is(std::type_identity<MPI_Request*>());
    case Role::status:
    case Role::statuses:
      return is(std::type_identity<MPI_Status*>());
    case Role::flag:
    case Role::done:
    case Role::index:
    case Role::indexes:
      return is(numbers);
    case Role::child:
    case Role::freed:
      return is(std::type_identity<MPI_Comm*>());
    case Role::name:
      return is(std::type_identity<const char*>());
    default:  // the recorder passes it on, whatever it is
      return true;
  }
}

template <Role... roles, class... Arguments>
constexpr bool fits(bool large, int (*)(Arguments...)) {
  if constexpr (sizeof...(roles) == sizeof...(Arguments)) {
    return (fits<Arguments>(roles, large) && ...);
  }
  return false;
}

using enum Role;
#define FUNCTION(name, treatment, call, ...) \
  EXPECT_TRUE((fits<__VA_ARGS__>(has_large_counts(#name), &name))) << #name;
TEST(MpiFunctions, AreDeclaredAsTheTableSays){
#include "harness/recorder/mpi/functions.inc"
}

TEST(MpiFunctions, OtherArgumentsDoNotFit) {
  EXPECT_FALSE((fits<communicator, count>(false, &MPI_Barrier)));
  EXPECT_FALSE((fits<status>(false, &MPI_Barrier)));
  EXPECT_FALSE((fits<request, status>(false, &MPI_Probe)));
}

}  // namespace
}  // namespace gridlock::recorder
