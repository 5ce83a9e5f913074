// Applies a macro to each word of a list: GRIDLOCK_EACH(m, a, b, c) is m(a), m(b), m(c); an empty
// list gives nothing. This makes a wrapper's parameters from a row of a table of functions, because
// only a macro can define a function whose name and parameters are data.
#pragma once

#define GRIDLOCK_EACH(macro, ...) __VA_OPT__(GRIDLOCK_RESCAN(GRIDLOCK_EACH_OF(macro, __VA_ARGS__)))

// The preprocessor expands GRIDLOCK_EACH_OF once each time it rescans the text. This makes it
// rescan often enough for sixteen words; a longer list does not compile.
#define GRIDLOCK_RESCAN(...) \
  GRIDLOCK_RESCAN_4(GRIDLOCK_RESCAN_4(GRIDLOCK_RESCAN_4(GRIDLOCK_RESCAN_4(__VA_ARGS__))))
#define GRIDLOCK_RESCAN_4(...) \
  GRIDLOCK_RESCAN_1(GRIDLOCK_RESCAN_1(GRIDLOCK_RESCAN_1(GRIDLOCK_RESCAN_1(__VA_ARGS__))))
#define GRIDLOCK_RESCAN_1(...) __VA_ARGS__
#define GRIDLOCK_EACH_OF(macro, first, ...) \
  macro(first) __VA_OPT__(, GRIDLOCK_EACH_AGAIN GRIDLOCK_PARENTHESES(macro, __VA_ARGS__))
#define GRIDLOCK_EACH_AGAIN() GRIDLOCK_EACH_OF
#define GRIDLOCK_PARENTHESES ()
