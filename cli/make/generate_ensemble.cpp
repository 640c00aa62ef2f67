// dovetail generate ensemble: chains of months, and clusters for them.
#include <fmt/format.h>

#include "cli/make/generate.hpp"
#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "gen/climate.hpp"
#include "io/formats/ensemble_file.hpp"

namespace dovetail::cli {

namespace {

struct GenerateEnsemble {
  gen::ClimateSpec spec;
  bool reference = false;
  std::string output = "-";
  std::string clusters;
};

Platform platform_of(const Ensemble& ensemble) {
  return Platform(0, mapped(ensemble.sites, [](const EnsembleSite& site) {
                    return Cluster{.name = site.name,
                                   .processors = site.processors,
                                   .cores_per_node = site.cores_per_node};
                  }));
}

Exit generate_ensemble(const CLI::App& command, const GenerateEnsemble& arguments) {
  const gen::ClimateSpec& spec = arguments.spec;
  if (arguments.reference) {
    for (const char* option : {"--clusters", "--smallest", "--largest", "--seed"}) {
      if (command.count(option) > 0) {
        throw InputError(std::string(option) + ": has no effect with --reference");
      }
    }
  }
  const Ensemble ensemble = arguments.reference
                                ? Ensemble{spec.scenarios, spec.months, {}, gen::reference_sites()}
                                : gen::made_up_ensemble(spec);
  check(ensemble);
  const std::string text = io::format_ensemble(ensemble, arguments.output.ends_with(".json"));
  const std::string grid =
      format_platform(platform_of(ensemble), arguments.clusters.ends_with(".json"));
  std::vector<OutputFile> files = {{arguments.output, text}};
  if (!arguments.clusters.empty()) files.push_back({arguments.clusters, grid});
  write_files(files);
  Count processors = 0;
  for (const EnsembleSite& site : ensemble.sites) processors += site.processors;
  report_made(arguments.output,
              fmt::format("{} scenarios of {} months, {} with {} processors", ensemble.scenarios,
                          ensemble.months, counted(ensemble.sites.size(), "cluster"), processors));
  return Exit::fine;
}

}  // namespace

void add_generate_ensemble(CLI::App& generate, Exit& status) {
  const auto [command, a] = add_verb<GenerateEnsemble>(
      generate, status, "ensemble", "make chains of months, with times on several clusters",
      generate_ensemble);
  command.option_defaults()->always_capture_default();
  const auto positive = CLI::Range(1, 1'000'000).description("");
  command.add_option("--scenarios", a.spec.scenarios, "make this many scenarios")->check(positive);
  command.add_option("--months", a.spec.months, "give each scenario this many months")
      ->check(positive);
  command.add_option("--clusters", a.spec.clusters, "make this many clusters")
      ->check(CLI::Range(1, 10'000).description(""));
  command
      .add_option("--smallest", a.spec.smallest,
                  "give the smallest cluster at least this many processors")
      ->check(positive);
  command
      .add_option("--largest", a.spec.largest,
                  "give the largest cluster at most this many processors")
      ->check(positive);
  command.add_flag("--reference", a.reference,
                   "use the five clusters of the published evaluation instead");
  add_seed(command, a.spec.seed, "ensemble");
  command.add_option("-o,--output", a.output,
                     "write this file; .json is JSON, all else YAML; - is standard output");
  command.add_option("--cluster-file", a.clusters, "also write the clusters to this file");
  command.footer(
      "Example: dovetail generate ensemble --reference -o climate.yaml --cluster-file grid.yaml");
}

}  // namespace dovetail::cli
