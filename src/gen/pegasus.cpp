#include "gen/pegasus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dovetail/error.hpp"
#include "gen/task_times.hpp"

namespace dovetail::gen {
namespace {

void check_spec(const std::string& shape, const PegasusSpec& spec, std::uint32_t fewest) {
  check_range((shape + ": tasks").c_str(), spec.tasks, fewest,
              static_cast<double>(kMaxGeneratedTasks));
  check_range((shape + ": hours").c_str(), spec.hours, 0.01, 1e6);
}

// Some published workflows have fewer tasks than the round number in their names.
struct NamedSize {
  std::uint32_t name, tasks;
};
std::uint32_t published_size(std::span<const NamedSize> sizes, std::uint32_t tasks) {
  for (const NamedSize& size : sizes) {
    if (size.name == tasks) return size.tasks;
  }
  return tasks;
}

// Shares were published for 50, 250 and 500 tasks and for 100, 500 and 1000 hours: one row per
// size, one column per total. Other values are interpolated on logarithmic axes; outside the range
// the nearest row or column applies.
using ShareTable = std::array<std::array<double, 3>, 3>;
constexpr std::array<double, 3> kSizes = {50, 250, 500};
constexpr std::array<double, 3> kTotals = {100, 500, 1000};

constexpr ShareTable shares_by_size(double at_50, double at_250, double at_500) {
  return {{{at_50, at_50, at_50}, {at_250, at_250, at_250}, {at_500, at_500, at_500}}};
}

// The position of x on the axis: between `low` and low + 1, at the fraction `part`.
struct Position {
  std::size_t low;
  double part;
};

Position locate(const std::array<double, 3>& axis, double x) {
  const double inside = std::clamp(x, axis.front(), axis.back());
  const std::size_t low = inside < axis[1] ? 0 : 1;
  return {low, std::log(inside / axis[low]) / std::log(axis[low + 1] / axis[low])};
}

// A positive factor with mean near 1: normal, cut at 2.5 standard deviations and at 0.2.
double draw_factor(double variation, Random& random) {
  constexpr double kWidest = 2.5;
  constexpr double kLeast = 0.2;
  if (variation == 0) return 1;
  while (true) {
    const double deviation = random.normal();
    const double factor = 1 + variation * deviation;
    if (std::abs(deviation) <= kWidest && factor >= kLeast) return factor;
  }
}

std::vector<double> draw_seconds(double variation, std::uint32_t count, double total,
                                 Random& random) {
  std::vector<double> seconds(count);
  for (double& s : seconds) s = draw_factor(variation, random);
  const double scale = total / std::accumulate(seconds.begin(), seconds.end(), 0.0);
  for (double& s : seconds) s = std::max(1.0, std::round(100 * s * scale)) / 100;
  return seconds;
}

double interpolated_share(const ShareTable& table, const PegasusSpec& spec) {
  const Position size = locate(kSizes, spec.tasks);
  const Position total = locate(kTotals, spec.hours);
  const auto along_totals = [&](const std::array<double, 3>& row) {
    return std::lerp(row[total.low], row[total.low + 1], total.part);
  };
  return std::lerp(along_totals(table[size.low]), along_totals(table[size.low + 1]), size.part);
}

struct TaskType {
  std::string_view name;
  double variation;    // standard deviation of the times over their mean
  ShareTable percent;  // of the total work; scaled so that the types add up to 100
};

// Builds a workflow whose tasks come in types, each with its share of the total work.
class TypedBuilder {
 public:
  // The types must outlive the builder.
  TypedBuilder(std::string name, std::span<const TaskType> types, const PegasusSpec& spec,
               Random& random)
      : builder_(std::move(name)), types_(types), spec_(spec), random_(random) {
    for (const TaskType& type : types) percent_sum_ += interpolated_share(type.percent, spec);
  }

  // Adds all tasks of a type: NAME_0, NAME_1, ... Their times vary by the type's normal
  // distribution and add up to its share, apart from rounding to 0.01 s. Needs a type that was not
  // added before, and count >= 1.
  std::vector<TaskId> add(std::string_view type, std::uint32_t count) {
    const auto found = std::ranges::find(types_, type, &TaskType::name);
    assert(found != types_.end() && count >= 1);
    const double share = interpolated_share(found->percent, spec_) / percent_sum_;
    std::vector<TaskId> tasks;
    tasks.reserve(count);
    for (const double seconds :
         draw_seconds(found->variation, count, share * spec_.hours * 3600, random_)) {
      tasks.push_back(builder_.add_task(
          {.id = fmt::format("{}_{}", type, tasks.size()), .time = TimeSpec::fixed(seconds)}));
      seconds_ += seconds;
    }
    return tasks;
  }

  // Adds the only task of a type.
  TaskId add_one(std::string_view type) { return add(type, 1)[0]; }

  void edge(TaskId from, TaskId to) { builder_.add_edge(from, to); }

  void join(std::span<const TaskId> from, TaskId to) {
    for (const TaskId task : from) edge(task, to);
  }

  void fork(TaskId from, std::span<const TaskId> to) {
    for (const TaskId task : to) edge(from, task);
  }

  // Connects the k-th to the k-th; needs equal numbers.
  void pairwise(std::span<const TaskId> from, std::span<const TaskId> to) {
    assert(from.size() == to.size());
    for (std::size_t i = 0; i < from.size(); ++i) edge(from[i], to[i]);
  }

  void chain(std::initializer_list<TaskId> tasks) {
    for (const TaskId* task = tasks.begin() + 1; task < tasks.end(); ++task) edge(task[-1], *task);
  }

  // Throws InputError when rounding changed the total by more than a hundredth or three hours,
  // since there is too little work for the number of tasks.
  Workflow build() && {
    const double wanted = spec_.hours * 3600;
    const double off = std::abs(seconds_ - wanted);
    if (off > 3 * 3600 || off > wanted / 100) {
      throw InputError(fmt::format("hours is {}; too little for {} tasks of at least 0.01 s each",
                                   spec_.hours, builder_.size()));
    }
    return std::move(builder_).build();
  }

 private:
  WorkflowBuilder builder_;
  std::span<const TaskType> types_;
  PegasusSpec spec_;
  Random& random_;
  double percent_sum_ = 0;
  double seconds_ = 0;  // of the tasks so far
};

// Shares and variations are measured on the published workflows; where the total makes no
// difference, they are means over the files of a size.
constexpr std::array<TaskType, 5> kCyberShake = {{
    {"ExtractSGT", 0.1, {{{6.3, 3.9, 1.9}, {1.7, 1.1, 1.5}, {3.1, 1.2, 0.8}}}},
    {"SeismogramSynthesis", 0.3, {{{28.0, 12.5, 9.5}, {52.5, 28.4, 20.6}, {62.9, 37.3, 30.0}}}},
    {"PeakValCalcOkaya", 0.3, {{{65.0, 83.5, 88.6}, {45.7, 70.5, 77.9}, {33.9, 61.5, 69.2}}}},
    {"ZipSeis", 0, shares_by_size(0.005, 0.007, 0.01)},
    {"ZipPSA", 0, shares_by_size(0.005, 0.007, 0.01)},
}};

constexpr std::array<TaskType, 8> kEpigenomics = {{
    {"fastqSplit", 0.3, shares_by_size(0.08, 0.03, 0.13)},
    {"filterContams", 0.4, shares_by_size(0.08, 0.03, 0.12)},
    {"sol2sanger", 0.35, shares_by_size(0.02, 0.008, 0.034)},
    {"fastq2bfq", 0.45, shares_by_size(0.035, 0.013, 0.057)},
    {"map", 0.28, shares_by_size(96.0, 99.3, 99.2)},
    {"mapMerge", 0.5, shares_by_size(0.055, 0.02, 0.09)},
    {"maqindex", 0, shares_by_size(0.0001, 0.0001, 0.0001)},
    {"pileup", 0, shares_by_size(3.8, 0.63, 0.33)},
}};

constexpr std::array<TaskType, 9> kMontage = {{
    {"mProjectPP", 0.015, shares_by_size(21.3, 20.0, 19.7)},
    {"mDiffFit", 0.01, shares_by_size(58.0, 61.2, 61.8)},
    {"mConcatFit", 0, shares_by_size(0.44, 0.46, 0.47)},
    {"mBgModel", 0, shares_by_size(0.75, 0.76, 0.7)},
    {"mBackground", 0.015, shares_by_size(16.9, 15.7, 15.6)},
    {"mImgTbl", 0, shares_by_size(0.65, 0.48, 0.5)},
    {"mAdd", 0, shares_by_size(0.94, 0.88, 0.87)},
    {"mShrink", 0, shares_by_size(0.96, 0.4, 0.28)},
    {"mJPEG", 0, shares_by_size(0.13, 0.045, 0.045)},
}};

constexpr std::array<TaskType, 13> kSipht = {{
    {"Patser", 0.22, shares_by_size(0.3, 0.43, 0.43)},
    {"Blast", 0.3, shares_by_size(37.0, 42.0, 42.0)},
    {"Findterm", 0.25, shares_by_size(26.5, 23.5, 23.5)},
    {"RNAMotif", 0.15, shares_by_size(0.75, 0.66, 0.66)},
    {"Transterm", 0.2, shares_by_size(1.0, 1.05, 1.05)},
    {"Patser_concate", 0.25, shares_by_size(0.002, 0.0015, 0.0015)},
    {"SRNA", 0.25, shares_by_size(6.8, 6.3, 6.3)},
    {"FFN_Parse", 0.1, shares_by_size(0.03, 0.03, 0.03)},
    {"Blast_candidate", 0.15, shares_by_size(0.12, 0.09, 0.09)},
    {"Blast_QRNA", 0.06, shares_by_size(26.8, 25.4, 25.4)},
    {"Blast_paralogues", 0.15, shares_by_size(0.1, 0.09, 0.09)},
    {"Blast_synteny", 0, shares_by_size(0.64, 0.6, 0.6)},
    {"SRNA_annotate", 0.15, shares_by_size(0.03, 0.03, 0.03)},
}};

// Lanes of an Epigenomics workflow: 1 to 3 up to 250 tasks, 19 at 500 and in proportion beyond.
std::uint32_t epigenomics_lanes(std::uint32_t tasks) {
  constexpr std::array<std::pair<double, double>, 4> kLanes = {
      {{9, 1}, {47, 2}, {249, 3}, {497, 19}}};
  const double n = tasks;
  if (n >= kLanes.back().first) {
    return static_cast<std::uint32_t>(std::lround(n * kLanes.back().second / kLanes.back().first));
  }
  std::size_t i = 1;
  while (kLanes[i].first < n) ++i;
  const auto& [size_a, lanes_a] = kLanes[i - 1];
  const auto& [size_b, lanes_b] = kLanes[i];
  const double part = (n - size_a) / (size_b - size_a);
  return static_cast<std::uint32_t>(std::lround(std::lerp(lanes_a, lanes_b, part)));
}

struct MontageSize {
  std::uint32_t images, overlaps;
};

// 6 tasks per image, unless that makes more overlaps than pairs: with 50 tasks, all 28 pairs of 8
// images overlap.
MontageSize montage_size(std::uint32_t tasks) {
  const std::uint64_t rest = tasks - 6;
  std::uint64_t images = std::max<std::uint64_t>(3, (rest + 3) / 6);
  while (rest > 2 * images + images * (images - 1) / 2) ++images;
  return {static_cast<std::uint32_t>(images), static_cast<std::uint32_t>(rest - 2 * images)};
}

// The two images of an overlap, or the same one twice.
using Overlap = std::pair<std::uint32_t, std::uint32_t>;

// Draws the required number of different pairs, sorted. A first round pairs neighbours in a random
// order, so that every image has an overlap.
std::set<Overlap> draw_pairs(const MontageSize& size, Random& random) {
  std::vector<std::uint32_t> order(size.images);
  for (std::uint32_t i = 0; i < size.images; ++i) {
    const std::size_t at = random.below(i + std::uint64_t{1});
    order[i] = order[at];
    order[at] = i;
  }
  std::set<Overlap> pairs;
  for (std::uint32_t i = 0; i < size.images; i += 2) {
    pairs.insert(std::minmax({order[i], order[i + 1 < size.images ? i + 1 : 0]}));
  }
  while (pairs.size() < size.overlaps) {
    const auto a = static_cast<std::uint32_t>(random.below(size.images));
    const auto b = static_cast<std::uint32_t>(random.below(size.images));
    if (a != b) pairs.insert(std::minmax({a, b}));
  }
  return pairs;
}

// In the published files the two images of an overlap were drawn independently, so with n images
// they are the same in one of n draws.
std::vector<Overlap> draw_overlaps(const MontageSize& size, Random& random) {
  const std::set<Overlap> pairs = draw_pairs(size, random);
  std::vector<Overlap> overlaps(pairs.begin(), pairs.end());
  std::vector<std::uint32_t> used(size.images);
  for (const auto& [a, b] : overlaps) {
    ++used[a];
    ++used[b];
  }
  for (auto& [a, b] : overlaps) {
    if (!random.chance(1.0 / size.images) || used[b] == 1) continue;
    --used[b];
    b = a;
  }
  return overlaps;
}

// The number of Patser tasks of each structure. It varies by a few where there are many.
std::vector<std::uint32_t> draw_patsers(std::uint32_t structures, std::uint32_t tasks,
                                        Random& random) {
  constexpr std::uint32_t kEven = 12;
  std::vector<std::uint32_t> patsers(structures);
  for (std::uint32_t k = 0; k < structures; ++k) {
    patsers[k] = tasks / structures + (k < tasks % structures ? 1 : 0);
  }
  for (std::size_t k = 1; k < patsers.size(); k += 2) {
    if (patsers[k] <= kEven) continue;
    const auto shift = static_cast<std::uint32_t>(random.below((patsers[k] - kEven) / 3 + 1));
    patsers[k - 1] += shift;
    patsers[k] -= shift;
  }
  return patsers;
}

}  // namespace

Workflow cybershake(const PegasusSpec& spec, Random& random, std::string name) {
  check_spec("cybershake", spec, 10);
  const std::uint32_t extractions = spec.tasks % 2 == 0 ? 2 : 3;
  const std::uint32_t variations = (spec.tasks - extractions - 2) / 2;
  TypedBuilder builder(std::move(name), kCyberShake, spec, random);
  const std::vector<TaskId> extract = builder.add("ExtractSGT", extractions);
  const std::vector<TaskId> synthesis = builder.add("SeismogramSynthesis", variations);
  const std::vector<TaskId> peaks = builder.add("PeakValCalcOkaya", variations);
  for (std::size_t i = 0; i < synthesis.size(); ++i) {
    builder.edge(extract[i < extract.size() ? i : random.below(extract.size())], synthesis[i]);
  }
  builder.pairwise(synthesis, peaks);
  builder.join(synthesis, builder.add_one("ZipSeis"));
  builder.join(peaks, builder.add_one("ZipPSA"));
  return std::move(builder).build();
}

Workflow epigenomics(const PegasusSpec& spec, Random& random, std::string name) {
  constexpr std::array<NamedSize, 3> kPublished = {{{50, 47}, {250, 249}, {500, 497}}};
  check_spec("epigenomics", spec, 9);
  const std::uint32_t tasks = published_size(kPublished, spec.tasks);
  const std::uint32_t lanes = epigenomics_lanes(tasks);
  const std::uint32_t chains = (tasks - 3 - 2 * lanes + 2) / 4;
  TypedBuilder builder(std::move(name), kEpigenomics, spec, random);
  const std::vector<TaskId> split = builder.add("fastqSplit", lanes);
  const std::vector<TaskId> filter = builder.add("filterContams", chains);
  const std::vector<TaskId> sanger = builder.add("sol2sanger", chains);
  const std::vector<TaskId> binary = builder.add("fastq2bfq", chains);
  const std::vector<TaskId> map = builder.add("map", chains);
  const std::vector<TaskId> merge = builder.add("mapMerge", lanes + 1);
  for (std::size_t i = 0; i < chains; ++i) {
    const std::size_t lane = i * lanes / chains;
    builder.chain({split[lane], filter[i], sanger[i], binary[i], map[i], merge[lane]});
  }
  builder.join(std::span(merge).first(lanes), merge.back());
  const TaskId index = builder.add_one("maqindex");
  builder.chain({merge.back(), index, builder.add_one("pileup")});
  return std::move(builder).build();
}

Workflow montage(const PegasusSpec& spec, Random& random, std::string name) {
  check_spec("montage", spec, 14);
  const MontageSize size = montage_size(spec.tasks);
  TypedBuilder builder(std::move(name), kMontage, spec, random);
  const std::vector<TaskId> images = builder.add("mProjectPP", size.images);
  const std::vector<TaskId> fits = builder.add("mDiffFit", size.overlaps);
  const TaskId concat = builder.add_one("mConcatFit");
  const TaskId model = builder.add_one("mBgModel");
  const std::vector<TaskId> backgrounds = builder.add("mBackground", size.images);
  const TaskId table = builder.add_one("mImgTbl");
  const TaskId sum = builder.add_one("mAdd");
  const TaskId shrink = builder.add_one("mShrink");
  const std::vector<Overlap> overlaps = draw_overlaps(size, random);
  for (std::size_t i = 0; i < fits.size(); ++i) {
    builder.edge(images[overlaps[i].first], fits[i]);
    builder.edge(images[overlaps[i].second], fits[i]);
  }
  builder.join(fits, concat);
  builder.edge(concat, model);
  builder.fork(model, backgrounds);
  builder.pairwise(images, backgrounds);
  builder.join(backgrounds, table);
  builder.chain({table, sum, shrink, builder.add_one("mJPEG")});
  return std::move(builder).build();
}

Workflow sipht(const PegasusSpec& spec, Random& random, std::string name) {
  constexpr std::array<NamedSize, 3> kPublished = {{{50, 48}, {250, 242}, {500, 484}}};
  constexpr std::uint32_t kTasksOfAStructure = 31;
  constexpr std::uint32_t kOthers = 12;  // other than Patser
  check_spec("sipht", spec, kOthers + 1);
  const std::uint32_t tasks = published_size(kPublished, spec.tasks);
  const std::uint32_t structures =
      std::max(1U, (tasks + kTasksOfAStructure / 2) / kTasksOfAStructure);
  TypedBuilder builder(std::move(name), kSipht, spec, random);
  const std::vector<TaskId> patser = builder.add("Patser", tasks - kOthers * structures);
  const auto add = [&](std::string_view type) { return builder.add(type, structures); };
  const std::array<std::vector<TaskId>, 4> searches = {add("Blast"), add("Findterm"),
                                                       add("RNAMotif"), add("Transterm")};
  const std::vector<TaskId> concate = add("Patser_concate");
  const std::vector<TaskId> srna = add("SRNA");
  const std::vector<TaskId> parse = add("FFN_Parse");
  const std::vector<TaskId> synteny = add("Blast_synteny");
  const std::array<std::vector<TaskId>, 3> candidates = {add("Blast_candidate"), add("Blast_QRNA"),
                                                         add("Blast_paralogues")};
  const std::vector<TaskId> annotate = add("SRNA_annotate");

  std::size_t first = 0;
  const std::vector<std::uint32_t> patsers =
      draw_patsers(structures, static_cast<std::uint32_t>(patser.size()), random);
  for (std::size_t k = 0; k < structures; first += patsers[k], ++k) {
    builder.join(std::span(patser).subspan(first, patsers[k]), concate[k]);
  }
  for (const auto& search : searches) builder.pairwise(search, srna);
  for (const auto& search : candidates) {
    builder.pairwise(srna, search);
    builder.pairwise(search, annotate);
  }
  builder.pairwise(srna, parse);
  builder.pairwise(srna, synteny);
  builder.pairwise(parse, synteny);
  builder.pairwise(synteny, annotate);
  builder.pairwise(srna, annotate);
  builder.pairwise(concate, annotate);
  return std::move(builder).build();
}

}  // namespace dovetail::gen
