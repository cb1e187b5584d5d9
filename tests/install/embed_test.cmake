# Run by ctest: cmake -D build= -D source= -D generator= -D compiler= -P embed_test.cmake
cmake_minimum_required(VERSION 3.25)
set(work ${build}/install-test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
# Copied away, so that no header of the source tree is within reach.
file(COPY ${source}/examples/embed DESTINATION ${work})
run(${CMAKE_COMMAND} -S ${work}/embed -B ${work}/build -G ${generator}
  -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)

file(GLOB models ${source}/tests/fixtures/*.json)
list(GET models 0 model)
execute_process(COMMAND ${work}/build/embed ${model} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "\\[[0-9, ]+\\]")
  message(FATAL_ERROR "embed printed '${output}'; expected an output's shape")
endif()
execute_process(COMMAND ${work}/build/embed ${work}/missing.json RESULT_VARIABLE code ERROR_VARIABLE message)
if(code EQUAL 0 OR NOT message MATCHES "missing.json")
  message(FATAL_ERROR "embed said '${message}' for a file that does not exist; expected its name")
endif()
