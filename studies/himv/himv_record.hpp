#pragma once
// The record of predicted products with an H-matrix (docs/run-record.md describes the fields).

#include "studies/himv/product_prediction.hpp"
#include "trisweep/report/json.hpp"

namespace trisweep::studies {

struct HimvRecord {
  std::string version;
  std::string object;
  Index elements = 0;
  std::string machine;
  PredictionOptions options;
  ProductPrediction result;
};

nlohmann::ordered_json to_json_object(const GemvCounts& counts);
std::string to_json(const HimvRecord& record);
std::string summary(const HimvRecord& record);

}  // namespace trisweep::studies
