# Installs the build into a folder of its own, builds the outside program against it, runs both the
# outside program and the installed dovetail, and compares what they print.
#
#   cmake -DBUILD=build/dev -DCOMPILER=g++ -DGENERATOR=Ninja -P tests/package/run.cmake
set(work ${BUILD}/package)
file(REMOVE_RECURSE ${work})

function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  string(JOIN " " command ${ARGN})
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${command}: exit ${result}\n${output}")
  endif()
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${command}: expected \"${expected}\", found:\n${output}")
  endif()
endfunction()

run("" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run("" ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${work}/prefix)
run("" ${CMAKE_COMMAND} --build ${work}/build)
# A chain on an empty cluster: 60 + 3600 + 30 seconds.
run("^makespan 3690\n$" ${work}/build/outside)
run("^dovetail [0-9.]+\n$" ${work}/prefix/bin/dovetail --version)
