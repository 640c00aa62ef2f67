// dovetail pilot and dovetail step: what Dovetail's own batch jobs call. Not for people, hence not
// in the list of commands.
#include <memory>

#include "batch/pilot/pilot.hpp"
#include "batch/table.hpp"
#include "cli/command.hpp"

namespace dovetail::cli {

namespace {

struct PilotArguments {
  std::string order = {};
  std::uint32_t task = 0;
  batch::StepPlace place = {};
  batch::PilotOptions options = {};
};

void run_order(const PilotArguments& given) {
  const auto folder = batch::folder_of_order(given.order);
  const auto order = batch::read_order(given.order);
  const auto system = batch::system_around_us();
  const auto allocation = batch::allocation_for(order, *system);
  const std::string why = batch::run_pilot(folder, order, allocation, *system, given.options);
  say("job {}: {}\n", order.job_name, why);
}

}  // namespace

void add_pilot(CLI::App& program, Exit& status) {
  const auto given = std::make_shared<PilotArguments>();
  CLI::App* pilot = program.add_subcommand("pilot", "Run the tasks of an order inside a batch job");
  pilot->group("");
  pilot->add_option("order", given->order, "The order, as dovetail run wrote it")->required();
  pilot->add_option_function<double>(
      "--patience", [given](double seconds) { given->options.patience = time_ceil(seconds); },
      "How long to try again what does not start, in seconds");
  pilot->callback([given] { run_order(*given); });

  CLI::App* step = program.add_subcommand("step", "Run one task of an order on this node");
  step->group("");
  step->add_option("order", given->order, "The order")->required();
  step->add_option("task", given->task, "The number of the task")->required();
  step->add_option("--nodes", given->place.nodes, "The nodes of the task")->delimiter(',');
  step->add_option("--cores", given->place.cores, "Its cores on this node")->delimiter(',');
  step->add_option("--gpus", given->place.gpus, "Its GPUs on this node")->delimiter(',');
  // The status is the task's own.
  step->callback([given, &status] {
    status = Exit{batch::run_step(batch::read_order(given->order, given->task), given->task,
                                  given->place, *batch::system_around_us())};
  });
}

}  // namespace dovetail::cli
