#include "queue/strategies/shared_nodes.hpp"

#include <cassert>

namespace dovetail::queue {

namespace {

// The least that a task can take of a node.
constexpr NodeDemand kLeast = {};

}  // namespace

SharedNodes::SharedNodes(const JobTasks& tasks, std::span<const TaskId> of_job) : tasks_(&tasks) {
  std::vector<std::uint32_t> demands;
  demands.reserve(of_job.size());
  for (const TaskId task : of_job) demands.push_back(tasks.sharing().demand_of[task]);
  std::ranges::sort(demands);
  const auto repeated = std::ranges::unique(demands);
  demands.erase(repeated.begin(), repeated.end());
  lines_.reserve(demands.size());
  for (const std::uint32_t demand : demands) lines_.push_back({.demand = demand});
}

void SharedNodes::add(Count nodes) {
  assert(!packer_);
  NodeType type = tasks_->sharing().node;
  type.count = nodes;
  packer_.emplace(std::span(&type, 1));
  find_hopeless(&*packer_);
}

std::uint32_t SharedNodes::line_number(TaskId task) const {
  const auto found =
      std::ranges::lower_bound(lines_, tasks_->sharing().demand_of[task], {}, &Line::demand);
  return static_cast<std::uint32_t>(found - lines_.begin());
}

void SharedNodes::offer(std::uint32_t number) {
  const Line& line = lines_[number];
  if (line.ready.empty()) return;
  firsts_.emplace_back(line.ready.front(), number);
  std::ranges::push_heap(firsts_, std::greater<>());
}

void SharedNodes::make_ready(TaskId task) {
  const std::uint32_t number = line_number(task);
  Line& line = lines_[number];
  line.ready.push_back(tasks_->rank(task));
  std::ranges::push_heap(line.ready, std::greater<>());
  const bool is_first = line.ready.front() == tasks_->rank(task);
  if (is_first && !line.does_not_fit) offer(number);
}

void SharedNodes::release(TaskId task) {
  const auto held = held_.extract(task);
  packer_->release(demand(lines_[line_number(task)]), held.mapped());
  std::erase_if(unfit_, [&](std::uint32_t number) {
    const NodeDemand& wanted = demand(lines_[number]);
    const bool may_fit = std::ranges::any_of(
        held.mapped(), [&](NodeId node) { return may_fit_again(wanted, node); });
    if (!may_fit) return false;
    lines_[number].does_not_fit = false;
    offer(number);
    return true;
  });
}

// Whether something that did not fit may do so now that there is more room on this node. All else
// is as it was, or fuller.
bool SharedNodes::may_fit_again(const NodeDemand& wanted, NodeId number) const {
  const NodeType& node = tasks_->sharing().node;
  const Packer::NodeRoom room = packer_->room(number);
  if (wanted.is_whole || wanted.nodes > 1) return room.cores == node.cores;
  const bool has_memory = node.memory == 0 || wanted.memory <= room.memory;
  return wanted.cores <= room.cores && wanted.gpus <= room.gpus && has_memory;
}

void SharedNodes::lose(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    if (std::ranges::find(lost_, node) != lost_.end()) continue;
    lost_.push_back(node);
    packer_->lose(node);
  }
  NodeType left = tasks_->sharing().node;
  left.count = static_cast<Count>(packer_->size() - lost_.size());
  if (left.count == 0) return find_hopeless(nullptr);
  const Packer idle(std::span(&left, 1));
  find_hopeless(&idle);
}

bool SharedNodes::has_room() const { return packer_ && packer_->fits(kLeast); }

// Only a packer can say that: which demands fit is its rule.
void SharedNodes::find_hopeless(const Packer* idle) {
  has_hopeless_ = false;
  for (Line& line : lines_) {
    line.is_hopeless = idle == nullptr || !idle->fits(demand(line));
    has_hopeless_ = has_hopeless_ || line.is_hopeless;
  }
}

}  // namespace dovetail::queue
