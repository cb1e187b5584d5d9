# What every compilation and link of this project gets. Targets link `project_options`; nothing edits CMAKE_CXX_FLAGS.
#
# project_options (INTERFACE): C++20, warnings, -ffp-contract=off and the repository's root as include directory
#   (#include "engine/base/shape.h"). Once installed it carries the include directory and the language level only.
# Sanitizers are set for the whole directory tree: one object without them would hide what they look for.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the engine is also linked into a Python module

add_library(project_options INTERFACE)
target_compile_features(project_options INTERFACE cxx_std_20)
target_include_directories(project_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include/rml>)

# Contraction is off because g++ fuses a*b+c by default, even across intrinsics; every fused operation here is explicit.
set(options -Wall -Wextra -Wshadow -ffp-contract=off
  $<$<BOOL:${RML_WERROR}>:-Werror>
  # g++ reports uses of ours; clang also reports those inside libstdc++ 12 (std::stable_sort).
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<CONFIG:RelWithDebInfo>:-g1>  # line tables: names in stacks and profiles at a third of the size
  $<$<CONFIG:Debug>:-D_GLIBCXX_ASSERTIONS>)  # bounds of operator[], empty optionals, preconditions of algorithms
foreach(option IN LISTS options)
  target_compile_options(project_options INTERFACE $<BUILD_INTERFACE:${option}>)
endforeach()

add_compile_options($<$<CONFIG:Debug>:-O1>)
# Tests are compiled once for every time they run, so what counts is the compiler's time: half, less optimised. Added
# in front of the first folder of tests/, after the targets they link.
set(test_options $<IF:$<CONFIG:Debug>,-O0,-O1>)

if(RML_SANITIZE)
  add_compile_options(-fsanitize=${RML_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${RML_SANITIZE})
endif()

if(RML_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "RML_FUZZ: the compiler is ${CMAKE_CXX_COMPILER_ID}; expected Clang, which has libFuzzer")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)  # counts where an input has been; the programs link the rest
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
