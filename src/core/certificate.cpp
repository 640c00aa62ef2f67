#include "dovetail/certificate.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "dovetail/problem.hpp"

namespace dovetail {

namespace {

constexpr std::int64_t kMostFlow = std::int64_t{1} << 53;

struct FreePiece {
  Interval window;
  Count free = 0;
};

// The processors that reservations leave free, from now on.
std::vector<FreePiece> free_pieces(const Problem& problem) {
  const Cluster& cluster = problem.platform().clusters().front();
  std::map<Time, Count> changes;
  const auto add = [&](Time from, Time to, Count procs) {
    from = std::max(from, problem.now());
    if (from >= to) return;
    changes[from] += procs;
    if (to < kForever) changes[to] -= procs;
  };
  changes[problem.now()] += 0;
  add(cluster.joins, cluster.leaves, cluster.processors);
  for (const Reservation& taken : cluster.reservations) {
    add(std::max(taken.start, cluster.joins), std::min(taken.end, cluster.leaves), -taken.procs);
  }
  std::vector<FreePiece> pieces;
  Count free = 0;
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    free += change->second;
    const auto next = std::next(change);
    pieces.push_back({{change->first, next == changes.end() ? kForever : next->first},
                      std::max(free, Count{0})});
  }
  return pieces;
}

// The first or the last start inside a window, if there is one.
std::optional<Time> find_start(const std::vector<FreePiece>& pieces, Count procs, Duration length,
                               Interval window, bool is_last) {
  std::optional<Time> found;
  Time from = window.begin;  // free from here on
  for (const FreePiece& piece : pieces) {
    if (piece.window.end <= from) continue;
    if (piece.window.begin >= window.end) break;
    if (piece.free < procs) {
      from = piece.window.end;
      continue;
    }
    const Time until = std::min(piece.window.end, window.end);
    if (until - from < length) continue;
    found = is_last ? until - length : from;
    if (!is_last) break;
  }
  return found;
}

class Verifier {
 public:
  Verifier(const Problem& problem, const Certificate& certificate)
      : problem_(problem), certificate_(certificate), pieces_(free_pieces(problem)) {
    for (std::size_t number = 0; number < problem.task_count(); ++number) {
      const TaskRef ref = problem.task_at(number);
      times_.push_back(problem.time(ref.workflow, ref.task, 0));
      edges_before_.push_back(edge_count_);
      edge_count_ += predecessors(number).size();
    }
  }

  std::string refute() {
    if (!is_in_range()) return "its numbers are beyond any workflow's";
    const bool has_none = has(0, 0);
    if (!has(size(), edge_count_) && !has_none)
      return "the certificate is not for this workflow: its lists have other lengths";
    compute_ready();
    if (!compute_due()) {
      return certificate_.work == 0 ? "" : "no plan ends by the deadline of the certificate";
    }
    if (has_none) return "every task fits into its window, and there is no flow";
    const std::string wrong = compare_windows();
    if (!wrong.empty()) return wrong;
    if (!flows_add_up()) return "what flows into a task is not what flows out of it";
    const Area unit = Certificate::kUnit;
    const Area proved = least_work();
    // Consumption is a whole number: exceeding work - 1 means reaching work.
    const Area least = certificate_.work > 0 ? certificate_.work - 1 : room();
    const bool holds = proved > unit * least;
    return holds ? "" : "the numbers of the certificate do not add up to what it says";
  }

 private:
  std::size_t size() const { return times_.size(); }

  std::vector<std::size_t> predecessors(std::size_t number) const {
    const TaskRef ref = problem_.task_at(number);
    const std::size_t first = number - ref.task;
    std::vector<std::size_t> before;
    for (const TaskId task : problem_.workflows()[ref.workflow].predecessors(ref.task)) {
      before.push_back(first + task);
    }
    return before;
  }

  // Whether its lists have that many tasks and edges.
  bool has(std::size_t tasks, std::size_t edges) const {
    const Certificate& c = certificate_;
    return c.ready.size() == tasks && c.due.size() == tasks && c.begin_flow.size() == tasks &&
           c.end_flow.size() == tasks && c.edge_flow.size() == edges;
  }

  // Keeps every sum from overflowing.
  bool is_in_range() const {
    const Certificate& c = certificate_;
    const auto is_time = [](Time time) { return time >= kBeginning && time <= kForever; };
    const auto is_flow = [](std::int64_t flow) { return flow >= 0 && flow <= kMostFlow; };
    return is_time(c.end) && is_time(c.span.begin) && is_time(c.span.end) &&
           std::ranges::all_of(c.ready, is_time) && std::ranges::all_of(c.due, is_time) &&
           std::ranges::all_of(c.begin_flow, is_flow) && std::ranges::all_of(c.end_flow, is_flow) &&
           std::ranges::all_of(c.edge_flow, is_flow);
  }

  // Every task after its predecessors.
  std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> order;
    std::size_t first = 0;
    for (const Workflow& workflow : problem_.workflows()) {
      for (const TaskId task : workflow.topological_order()) order.push_back(first + task);
      first += workflow.size();
    }
    return order;
  }

  Count most_procs(std::size_t number) const {
    const Count all = problem_.platform().clusters().front().processors;
    return times_[number].floor_allowed(all);
  }

  Count next_fewer(std::size_t number, Count procs) const {
    return times_[number].floor_allowed(procs - 1);
  }

  // Tries processor counts from the most to the fewest, as long as the duration alone could still
  // improve the result.
  Time earliest_end(std::size_t number, Time ready) const {
    Time best = kForever;
    for (Count procs = most_procs(number); procs > 0; procs = next_fewer(number, procs)) {
      const Duration length = times_[number].duration(procs);
      if (ready + length >= best) break;
      const auto start = find_start(pieces_, procs, length, {ready, best}, false);
      if (start) best = std::min(best, *start + length);
    }
    return best;
  }

  std::optional<Time> latest_start(std::size_t number, Interval window) const {
    std::optional<Time> best;
    for (Count procs = most_procs(number); procs > 0; procs = next_fewer(number, procs)) {
      const Duration length = times_[number].duration(procs);
      if (best && window.end - length <= *best) break;
      const auto start = find_start(pieces_, procs, length, window, true);
      if (start && (!best || *start > *best)) best = start;
    }
    return best;
  }

  void compute_ready() {
    ready_.resize(size());
    std::vector<Time> ends(size());
    for (const std::size_t number : in_order()) {
      const TaskRef ref = problem_.task_at(number);
      Time ready = problem_.release(ref.workflow, ref.task);
      for (const std::size_t before : predecessors(number)) ready = std::max(ready, ends[before]);
      ready_[number] = ready;
      ends[number] = ready >= kForever ? kForever : earliest_end(number, ready);
    }
  }

  // False when a task does not fit into its window.
  bool compute_due() {
    due_.assign(size(), certificate_.end);
    std::vector<std::size_t> backwards = in_order();
    std::ranges::reverse(backwards);
    for (const std::size_t number : backwards) {
      const auto start = latest_start(number, {ready_[number], due_[number]});
      if (!start) return false;
      for (const std::size_t before : predecessors(number)) {
        due_[before] = std::min(due_[before], *start);
      }
    }
    return true;
  }

  std::string compare_windows() const {
    for (std::size_t number = 0; number < size(); ++number) {
      if (certificate_.ready[number] == ready_[number] &&
          certificate_.due[number] == due_[number]) {
        continue;
      }
      return "task \"" + problem_.task_name(number) +
             "\": the window of the certificate is not the one that the workflow and the cluster "
             "make; certificates count tasks in the order of the workflow file";
    }
    return {};
  }

  bool counts(std::size_t number) const {
    return certificate_.ready[number] >= certificate_.span.begin &&
           certificate_.due[number] <= certificate_.span.end;
  }

  bool flows_add_up() {
    std::vector<Area> in(size()), out(size());
    for (std::size_t number = 0; number < size(); ++number) {
      if (certificate_.begin_flow[number] < 0 || certificate_.end_flow[number] < 0) return false;
      in[number] += certificate_.begin_flow[number];
      out[number] += certificate_.end_flow[number];
      const auto before = predecessors(number);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const std::int64_t flow = certificate_.edge_flow[edges_before_[number] + i];
        if (flow < 0) return false;
        in[number] += flow;
        out[before[i]] += flow;
      }
    }
    for (std::size_t number = 0; number < size(); ++number) {
      if (in[number] != out[number] || (in[number] > 0 && !counts(number))) return false;
    }
    through_ = std::move(in);
    return true;
  }

  // The least (m + f) T(m), in units of flow, over the processor counts that fit into the window.
  Area least_cost(std::size_t number) const {
    const Interval window{certificate_.ready[number], certificate_.due[number]};
    std::optional<Area> least;
    for (Count procs = most_procs(number); procs > 0; procs = next_fewer(number, procs)) {
      const Duration length = times_[number].duration(procs);
      if (length > window.end - window.begin) break;
      const Area cost = (Area{procs} * Certificate::kUnit + through_[number]) * length;
      if (least && cost >= *least) continue;
      if (find_start(pieces_, procs, length, window, false)) least = cost;
    }
    return least.value_or(0);
  }

  Area least_work() const {
    Area work = 0;
    for (std::size_t number = 0; number < size(); ++number) {
      if (!counts(number)) continue;
      work += least_cost(number);
      work += Area{certificate_.begin_flow[number]} * certificate_.ready[number];
      work -= Area{certificate_.end_flow[number]} * certificate_.due[number];
    }
    return work;
  }

  // No plan that the certificate covers consumes more.
  Area room() const { return std::min(free_area(), certificate_.budget.value_or(free_area())); }

  // The free area of the span, cut to the time in which the counted tasks can run.
  Area free_area() const {
    Time begin = kForever;
    for (std::size_t number = 0; number < size(); ++number) {
      if (counts(number)) begin = std::min(begin, certificate_.ready[number]);
    }
    const Time end = std::min(certificate_.span.end, certificate_.end);
    Area area = 0;
    for (const FreePiece& piece : pieces_) {
      const Time from = std::max(piece.window.begin, begin);
      const Time to = std::min(piece.window.end, end);
      if (from < to) area += Area{piece.free} * (to - from);
    }
    return area;
  }

  const Problem& problem_;
  const Certificate& certificate_;
  std::vector<FreePiece> pieces_;
  std::vector<TaskTime> times_;
  std::vector<std::size_t> edges_before_;  // by task: where its edges begin in edge_flow
  std::size_t edge_count_ = 0;
  std::vector<Time> ready_, due_;
  std::vector<Area> through_;
};

}  // namespace

std::string refute(const Problem& problem, const Certificate& certificate) {
  return Verifier(problem, certificate).refute();
}

}  // namespace dovetail
