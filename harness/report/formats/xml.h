// What all JUnit reports share.
#pragma once

#include <pugixml.hpp>
#include <string>

namespace gridlock::report {

// Sets the attribute to printable(text), because XML 1.0 allows no control characters, not even
// escaped ones.
void set(pugi::xml_node& node, const char* attribute, const std::string& text);

// A child of a test case that says why the case did not pass. `body` has the details.
//   kind      skipped, error or failure
//   Returns   the child, for more attributes
pugi::xml_node add_reason(pugi::xml_node& test, const char* kind, const std::string& message,
                          const std::string& body);

std::string text_of(const pugi::xml_document& document);

}  // namespace gridlock::report
