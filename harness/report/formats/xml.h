// What all JUnit reports share.
#pragma once

#include <pugixml.hpp>
#include <string>

namespace gridlock::report {

// As printable() makes it: XML 1.0 has no control characters, not even escaped ones.
void set(pugi::xml_node& node, const char* attribute, const std::string& text);

// A child of a test case that says why it did not pass, `body` with all that is known.
//   kind      skipped, error or failure
//   Returns   the child, for more attributes
pugi::xml_node add_reason(pugi::xml_node& test, const char* kind, const std::string& message,
                          const std::string& body);

std::string text_of(const pugi::xml_document& document);

}  // namespace gridlock::report
