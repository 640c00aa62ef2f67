// Ensembles as files that read_ensemble reads back.
#include <fmt/format.h>

#include "io/emit.hpp"
#include "io/formats/ensemble_file.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

std::string table_text(const EnsembleSite& site, const Emitter& emitter) {
  Emitter::Fields times;
  for (const GroupTime& size : site.times.main) {
    times.emplace_back(std::to_string(size.procs), format_seconds(size.time));
  }
  Emitter::Fields fields = {{"times", emitter.mapping(times)},
                            {"post", format_seconds(site.times.post)}};
  if (site.times.posts != 1) fields.emplace_back("posts", std::to_string(site.times.posts));
  return emitter.mapping(fields);
}

}  // namespace

std::string format_ensemble(const Ensemble& ensemble, bool json) {
  const Emitter emitter(json);
  std::string tables;
  for (const EnsembleSite& site : ensemble.sites) {
    tables += fmt::format("{}  {}: {}", json && !tables.empty() ? ",\n" : "\n",
                          emitter.text(site.name), table_text(site, emitter));
  }
  if (json) {
    return fmt::format("{{\"scenarios\": {}, \"months\": {}, \"clusters\": {{{}}}}}\n",
                       ensemble.scenarios, ensemble.months, tables);
  }
  return fmt::format("scenarios: {}\nmonths: {}\nclusters:{}\n", ensemble.scenarios,
                     ensemble.months, tables);
}

}  // namespace dovetail::io
