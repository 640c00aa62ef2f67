// Repeats the evaluation of groupings and repartitions for climate ensembles (Caniou et al. 2009):
// Figures 11 and 13 to 20 and 22 as numbers and pictures, and the report's statements beside our
// results.
//
//   EnsembleStudyResult result = run_ensemble_study({});
//   std::cout << format_table(result);
//
// Nothing is random: the same options give the same bytes on any number of threads.
#pragma once

#include <string>
#include <vector>

#include "draw/line_chart.hpp"
#include "planners/ensemble/grouping.hpp"
#include "study/study.hpp"

namespace dovetail::study {

struct EnsembleStudyOptions {
  StudyScale scale = StudyScale::quick;
  unsigned threads = 0;  // 0: as many as the machine has
  Progress progress = {};
  // the report's, as far as its numbers show
  planning::Dispatch dispatch = planning::Dispatch::ideal;
};

struct EnsembleFigure {
  std::string number = {};  // "13"
  std::string title = {};
  std::string x_name = {};
  std::string y_name = {};
  bool is_time = false;  // y is in seconds
  std::vector<draw::LineSeries> series = {};
};

// A statement of the report about a figure, and our result.
struct EnsembleStatement {
  std::string figure = {};
  std::string what = {};
  std::string published = {};
  std::string ours = {};
};

struct EnsembleStudyResult {
  StudyScale scale = StudyScale::quick;
  planning::Dispatch dispatch = planning::Dispatch::ideal;
  Count months = 0;  // for figures where the report does not state it
  std::vector<EnsembleFigure> figures = {};
  std::vector<EnsembleStatement> statements = {};
};

EnsembleStudyResult run_ensemble_study(const EnsembleStudyOptions& options);

std::string format_table(const EnsembleStudyResult& result);
std::string to_json(const EnsembleStudyResult& result);
// A line per figure, series and point.
std::string to_csv(const EnsembleStudyResult& result);

// All figures as one page, or one below the other as a picture.
std::string to_html(const EnsembleStudyResult& result);
std::string to_svg(const EnsembleStudyResult& result);

}  // namespace dovetail::study
