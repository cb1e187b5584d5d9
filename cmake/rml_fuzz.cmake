# rml_fuzz(NAME [LIBS target...] [MUTATOR file...]): the fuzz target tests/fuzz/NAME.cc with its inputs in
# tests/fuzz/NAME/corpus, as the program fuzz_NAME.
#   RML_FUZZ ON   linked with libFuzzer and, if there is one, its MUTATOR; ./dev fuzz NAME runs it
#   RML_FUZZ OFF  linked with a main() that feeds it the files of the corpus
# Either way ctest replays the corpus as fuzz.NAME.replay.
function(rml_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS;MUTATOR")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rml_fuzz(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'; expected LIBS, MUTATOR")
  endif()
  add_executable(fuzz_${name} ${name}.cc)
  target_link_libraries(fuzz_${name} PRIVATE project_options ${arg_LIBS})
  set(replay fuzz_${name})
  if(RML_FUZZ)
    target_sources(fuzz_${name} PRIVATE ${arg_MUTATOR})
    # New paths through a mutator are not progress.
    set_source_files_properties(${arg_MUTATOR} PROPERTIES COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND replay -runs=0)
  else()
    target_sources(fuzz_${name} PRIVATE replay_main.cc)
  endif()
  add_test(NAME fuzz.${name}.replay COMMAND ${replay} tests/fuzz/${name}/corpus WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(fuzz.${name}.replay PROPERTIES TIMEOUT 300 LABELS fuzz)
endfunction()
