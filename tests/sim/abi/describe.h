// One line of a comparison between two sets of headers: a name, and its meaning in one set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace headers {

using Table = std::vector<std::pair<std::string, std::string>>;

Table simulated();
Table vendor();  // empty where the vendor's headers are of a version that lays things out
                 // differently

template <class Value>
std::string number(Value value) {
  return std::to_string(static_cast<long long>(value));
}

}  // namespace headers

#define VALUE(item) table.emplace_back(#item, headers::number(item));
#define SIZE(type) table.emplace_back("size of " #type, headers::number(sizeof(type)));
#define OFFSET(type, member) \
  table.emplace_back("offset of " #type "::" #member, headers::number(offsetof(type, member)));
#define FUNCTION(item) table.emplace_back("signature of " #item, typeid(decltype(&(item))).name());
#define TYPE(item) table.emplace_back("type " #item, typeid(item).name());
