# One static library per layer, which is a folder of src/ with its subfolders. A layer links only to layers below
# it, so that reaching upwards does not even link; a new file in a folder is picked up by itself.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
find_package(pugixml REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(yaml-cpp REQUIRED)

# Only the headers of Boost are used (Asio and Beast), in the two files of federation/net that speak HTTP.
find_package(Boost 1.74 REQUIRED)

function(dovetail_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;THIRD_PARTY" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(dovetail_${name} STATIC ${sources})
  add_library(dovetail::${name} ALIAS dovetail_${name})
  set_target_properties(dovetail_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(dovetail_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(dovetail_${name} PUBLIC cxx_std_20)
  foreach(lower ${LAYER_USES})
    target_link_libraries(dovetail_${name} PUBLIC dovetail_${lower})
  endforeach()
  target_link_libraries(dovetail_${name} PRIVATE ${LAYER_THIRD_PARTY} $<BUILD_INTERFACE:dovetail_options>)
  set_property(GLOBAL APPEND PROPERTY DOVETAIL_LAYERS dovetail_${name})
  set_target_properties(dovetail_${name} PROPERTIES UNITY_BUILD ${DOVETAIL_UNITY})
  # Reading the standard headers takes longer than compiling what most files add to them. Headers of other
  # libraries only where the layer may use them.
  target_precompile_headers(dovetail_${name} PRIVATE <algorithm> <cstdint> <filesystem> <functional> <map> <memory>
                            <optional> <set> <span> <string> <string_view> <utility> <vector>)
  if("fmt::fmt" IN_LIST LAYER_THIRD_PARTY)
    target_precompile_headers(dovetail_${name} PRIVATE <fmt/format.h>)
  endif()
  if("nlohmann_json::nlohmann_json" IN_LIST LAYER_THIRD_PARTY)
    target_precompile_headers(dovetail_${name} PRIVATE <nlohmann/json.hpp>)
  endif()
endfunction()

dovetail_layer(core)
dovetail_layer(io USES core THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json pugixml::pugixml yaml-cpp ZLIB::ZLIB)
dovetail_layer(draw USES core io THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json)
include(cmake/embed.cmake)
file(GLOB page_parts CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} web/*.html web/*.css web/*.js)
dovetail_embed(dovetail_draw ${page_parts})
dovetail_layer(gen USES core io THIRD_PARTY fmt::fmt)
dovetail_layer(planners USES core)
dovetail_layer(queue USES core io draw THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json)
dovetail_layer(run USES core io draw planners THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json SQLite::SQLite3 OpenSSL::Crypto Threads::Threads)
dovetail_layer(batch USES core io planners queue run THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json Threads::Threads)
dovetail_layer(federation USES core io planners queue run batch THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
dovetail_layer(study USES core io draw gen planners queue THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json Threads::Threads)

add_library(dovetail_all INTERFACE)
add_library(dovetail::dovetail ALIAS dovetail_all)
set_target_properties(dovetail_all PROPERTIES EXPORT_NAME dovetail)
target_link_libraries(dovetail_all INTERFACE dovetail_planners dovetail_gen dovetail_draw dovetail_io dovetail_core)
