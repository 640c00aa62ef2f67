// A frontier as JSON: the points, each with the plan itself, in the fields of a plan file.
#include <nlohmann/json.hpp>

#include "dovetail/io.hpp"

namespace dovetail {

std::string format_frontier(Time now, std::span<const PlanRecord> plans) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const PlanRecord& plan : plans) {
    nlohmann::ordered_json document = nlohmann::ordered_json::parse(format_plan(plan));
    nlohmann::ordered_json point;
    for (const char* key : {"turnaround", "cpu_hours", "algorithm", "deadline", "lambda"}) {
      if (document.contains(key)) point[key] = document[key];
    }
    point["plan"] = std::move(document);
    points.push_back(std::move(point));
  }
  nlohmann::ordered_json document;
  document["now"] = nlohmann::ordered_json::parse(format_seconds(now));
  document["points"] = std::move(points);
  return document.dump(1) + "\n";
}

}  // namespace dovetail
