// The content of the pictures of a frontier, before anything is drawn: its points with their texts,
// and which of them to highlight.
//
//   FrontierScene scene = make_scene(plans, 1500.0);
//   for (const FrontierPoint& point : scene.points) draw(point.turnaround, point.hours);
//
// All texts are plain (see plain_text.hpp) but not escaped. All functions are pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dovetail/plan_record.hpp"

namespace dovetail::draw {

// Families of algorithms, told apart by their published names.
enum class PlanKind { turnaround, aggressive, conservative, hybrid, search, other };
inline constexpr std::size_t kPlanKinds = 6;
PlanKind kind_of_plan(std::string_view algorithm);

struct PlanKindNames {
  std::string_view text;   // for the legend: "deadline, aggressive"
  std::string_view style;  // the class in style sheets: "aggressive"
};
PlanKindNames names_of(PlanKind kind);

struct FrontierPoint {
  PlanKind kind = PlanKind::other;
  double turnaround = 0;  // milliseconds
  double hours = 0;       // of CPU time
  std::string turnaround_text = {};
  std::string hours_text = {};  // as many decimals as all other points have
  std::string algorithm = {};
  Count peak = 0;
  std::vector<std::string> roles = {};  // "earliest", "fastest within 1500 h"; most have none
  std::string command = {};             // the option of `dovetail plan` that gives this plan
  std::vector<std::pair<std::string, std::string>> facts = {};  // what the card of the plan lists
};

struct FrontierScene {
  std::string title = {};
  std::vector<std::string> facts = {};  // the frontier in a few words
  std::string note = {};                // about a budget that nothing keeps to; else empty
  std::vector<FrontierPoint> points = {};
  std::optional<double> budget = {};       // where its line is drawn
  std::string budget_text = {};            // "budget 1500 h"
  std::optional<std::size_t> within = {};  // the fastest point within the budget
  std::size_t chosen = 0;  // the point to show first: within the budget, else the compromise
};

// Ignores a budget that is not finite.
FrontierScene make_scene(std::span<const PlanRecord> plans, std::optional<double> budget);

// The point farthest below the line between both ends, where both axes run from 0 to 1; nothing
// when there are fewer than three points or none lies below.
std::optional<std::size_t> knee(std::span<const FrontierPoint> points);

// "earliest, fastest within 1500 h"; empty for most.
std::string roles_text(const FrontierPoint& point);

// "plan 7 of 23", and with its roles "plan 7 of 23: good compromise".
std::string point_name(const FrontierScene& scene, std::size_t point);
std::string point_title(const FrontierScene& scene, std::size_t point);

// One line for screen readers: its title, turn-around, CPU-hours, algorithm.
std::string point_text(const FrontierScene& scene, std::size_t point);

}  // namespace dovetail::draw
