include(GoogleTest)

# rml_test(NAME SOURCES file... [LIBS target...] [LABELS label...] [TIMEOUT seconds] [ON_ALL_CORES] [TINY_CASES]): a
# googletest binary (gmock and main are linked) whose cases ctest runs one by one, from the root of the repository, so
# that tests open "tests/fixtures/..." by that name. ON_ALL_CORES: a case starts as many threads as there are cores, so it
# runs alone. TINY_CASES: under a sanitizer, where starting a process takes longer than a case, all of them are one test.
function(rml_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ON_ALL_CORES;TINY_CASES" "TIMEOUT" "SOURCES;LIBS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rml_test(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'; expected SOURCES, LIBS, LABELS, "
      "TIMEOUT, ON_ALL_CORES, TINY_CASES")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE project_options ${arg_LIBS} GTest::gmock_main)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${arg_ON_ALL_CORES})
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  if(arg_TINY_CASES AND RML_SANITIZE)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES ${properties})
    return()
  endif()
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    TEST_PREFIX ${name}/
    PROPERTIES ${properties})
endfunction()
