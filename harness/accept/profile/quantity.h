// Parses quantities as people write them in a profile: a number and its unit.
#pragma once

#include <cstdint>
#include <string>

namespace gridlock::accept {

// "8MiB", "64 KiB", "1MB", "512B": bytes. A unit of 1024 has an i in it, one of 1000 has none.
//   Errors   UsageError if the unit is missing or unknown, or the number is not whole or below 1
std::uint64_t parse_size(const std::string& text);

// "250 GB/s", "1.5GiB/s": bytes per second. Bits ("Gb/s") are refused, not guessed.
//   Errors   UsageError if it is negative, or has another unit
double parse_bandwidth(const std::string& text);

// "90%" as 0.9.
//   Errors   UsageError if it is not between 0% and 100%
double parse_share(const std::string& text);

// "8MiB", "1000B": the largest unit of 1024 in which it is a whole number.
std::string size_text(std::uint64_t bytes);

// "251.30 GB/s"
std::string bandwidth_text(double bytes_per_second);

}  // namespace gridlock::accept
