# Files of the source tree inside a library: dovetail_embed(dovetail_draw web/gantt.css ...) makes them
# available through draw/page.hpp, by their names without folder. They are turned into C++ at build
# time, by this same file run as a script, so that editing one rebuilds what holds it.
if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    file(READ ${file} content)
    string(APPEND entries "    {\"${name}\", R\"embedded(${content})embedded\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Made by cmake/embed.cmake.
#include \"draw/page.hpp\"

#include <stdexcept>
#include <string>

namespace dovetail::draw {
namespace {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

constexpr EmbeddedFile kFiles[] = {
${entries}};

}  // namespace

std::string_view embedded_file(std::string_view name) {
  for (const EmbeddedFile& file : kFiles) {
    if (file.name == name) return file.text;
  }
  throw std::logic_error(\"no embedded file \" + std::string(name));
}

}  // namespace dovetail::draw
")
  return()
endif()

set(DOVETAIL_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(dovetail_embed target)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  set(output ${PROJECT_BINARY_DIR}/embedded/${target}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUTPUT=${output} -P ${DOVETAIL_EMBED_SCRIPT}
    DEPENDS ${files} ${DOVETAIL_EMBED_SCRIPT}
    COMMENT "Embedding ${ARGN}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
