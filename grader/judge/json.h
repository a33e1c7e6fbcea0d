// json: the library's name for a value, and null for what is not there.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace warpladder {

using Json = nlohmann::json;

inline Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
inline Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace warpladder
