# One static library per layer. A layer links only to layers below it, so that reaching upwards does
# not even link; a new file in a folder is picked up by itself.
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(yaml-cpp REQUIRED)

function(dovetail_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;THIRD_PARTY" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
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
endfunction()

dovetail_layer(core)
dovetail_layer(io USES core THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json pugixml::pugixml yaml-cpp ZLIB::ZLIB)
include(cmake/embed.cmake)
dovetail_embed(dovetail_io web/gantt.html web/gantt.css web/gantt_time.js web/gantt_chart.js web/gantt.js web/frontier.html web/frontier.css web/frontier_chart.css web/frontier.js)
dovetail_layer(gen USES core io THIRD_PARTY fmt::fmt)
dovetail_layer(planners USES core)
dovetail_layer(study USES core io gen planners THIRD_PARTY fmt::fmt nlohmann_json::nlohmann_json Threads::Threads)

add_library(dovetail_all INTERFACE)
add_library(dovetail::dovetail ALIAS dovetail_all)
set_target_properties(dovetail_all PROPERTIES EXPORT_NAME dovetail)
target_link_libraries(dovetail_all INTERFACE dovetail_planners dovetail_gen dovetail_io dovetail_core)
