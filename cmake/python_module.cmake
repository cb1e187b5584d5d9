# Finds what the Python module is built with: the Python of .venv (another: -DPython_EXECUTABLE=...), its headers, and the
# nanobind that is installed in it. Where something is missing, RML_BUILD_PYTHON=AUTO becomes OFF with a message and ON is
# an error.
if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)

if(Python_Interpreter_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT Python_Interpreter_FOUND)
  set(missing "no Python of at least 3.11 was found")
elseif(NOT Python_Development.Module_FOUND)
  set(missing "${Python_EXECUTABLE} has no headers (Debian: python3-dev)")
elseif(NOT nanobind_ROOT)
  set(missing "${Python_EXECUTABLE} has no nanobind (requirements/test.txt)")
else()
  set(missing "")
  find_package(nanobind CONFIG REQUIRED)
endif()

if(missing AND RML_BUILD_PYTHON STREQUAL "AUTO")
  message(STATUS "The Python module rml is left out: ${missing}")
  set(RML_BUILD_PYTHON OFF)  # for this run of CMake
elseif(missing)
  message(FATAL_ERROR "RML_BUILD_PYTHON=${RML_BUILD_PYTHON}: ${missing}")
endif()
