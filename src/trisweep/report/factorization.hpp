#pragma once
// The predicted cost of a factorization, in words and as a part of records.

#include <string>

#include "trisweep/model/factorization.hpp"
#include "trisweep/report/json.hpp"

namespace trisweep::report {

nlohmann::ordered_json to_json_object(const model::FactorizationPrice& price);

// "1.2 s predicted: ...".
std::string factorization_in_words(const model::FactorizationPrice& price);

}  // namespace trisweep::report
