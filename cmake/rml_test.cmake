include(GoogleTest)

# rml_test(NAME SOURCES file... [LIBS target...] [LABELS label...]): a googletest binary (gmock and main are linked) whose
# cases ctest runs one by one, from the root of the repository, so that tests open "tests/fixtures/..." by that name.
function(rml_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rml_test(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'; expected SOURCES, LIBS, LABELS")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE project_options ${arg_LIBS} GTest::gmock_main)
  set(properties TIMEOUT 300)
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    TEST_PREFIX ${name}/
    PROPERTIES ${properties})
endfunction()
