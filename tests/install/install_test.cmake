# Run by ctest: cmake -D build= -D source= -D generator= -D compiler= -D grpc= -P install_test.cmake
cmake_minimum_required(VERSION 3.25)
set(work ${build}/install-test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Copied away, so that no header of the source tree is within reach.
function(build_example name)
  file(COPY ${source}/examples/${name} DESTINATION ${work})
  run(${CMAKE_COMMAND} -S ${work}/${name} -B ${work}/build-${name} -G ${generator}
    -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_PREFIX_PATH=${work}/prefix)
  run(${CMAKE_COMMAND} --build ${work}/build-${name})
endfunction()

# The command fails, and says why.
function(expect_failure text)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code ERROR_VARIABLE message)
  if(code EQUAL 0 OR NOT message MATCHES ${text})
    message(FATAL_ERROR "'${ARGN}' ended with ${code} and said '${message}'; expected a failure with '${text}'")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)

build_example(embed)
file(GLOB models ${source}/tests/fixtures/*.json)
list(GET models 0 model)
execute_process(COMMAND ${work}/build-embed/embed ${model} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "\\[[0-9, ]+\\]")
  message(FATAL_ERROR "embed printed '${output}'; expected an output's shape")
endif()
expect_failure("missing.json" ${work}/build-embed/embed ${work}/missing.json)

if(grpc)
  build_example(client)
  expect_failure("UNAVAILABLE: 127.0.0.1:1: " ${work}/build-client/ask 127.0.0.1:1 mlp)
  if(NOT EXISTS ${work}/prefix/share/rml/models/mlp/1/model.json)
    message(FATAL_ERROR "the bundled models are not installed")
  endif()
endif()
