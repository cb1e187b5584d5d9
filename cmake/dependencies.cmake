# Every outside library, found once. All but nanobind come from Debian 12; docs/decisions/dependencies.md says what each is for.
#   engine     Threads, absl, nlohmann_json (graph reader only), ZLIB (checksum of the weights)
#   commands   CLI11
#   tests      GTest
#   server     Protobuf, spdlog, prometheus-cpp, libmicrohttpd               RML_BUILD_SERVER
#              gRPC                                                          RML_BUILD_GRPC
#   fuzzing    Python, the library (python3-dev)                             RML_FUZZ
#   Python     Python's headers, nanobind (PyPI)                             RML_BUILD_PYTHON
#   microbench benchmark, OpenBLAS::OpenBLAS                                 RML_BUILD_MICROBENCH

find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 CONFIG REQUIRED)

if(RML_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()

if(RML_BUILD_SERVER)
  find_package(PkgConfig REQUIRED)
  find_package(Protobuf REQUIRED)  # module mode: Debian ships no protobuf CONFIG package
  if(RML_BUILD_GRPC)
    find_package(gRPC CONFIG REQUIRED)
  endif()
  find_package(spdlog CONFIG REQUIRED)
  find_package(prometheus-cpp CONFIG REQUIRED)
  pkg_check_modules(libmicrohttpd REQUIRED IMPORTED_TARGET libmicrohttpd)
endif()

if(RML_FUZZ)
  find_package(PkgConfig REQUIRED)
  # By pkg-config, which knows Debian's Python only: CMake's module may find another one that has no such library.
  pkg_check_modules(python_embed REQUIRED IMPORTED_TARGET python3-embed)
endif()

if(RML_BUILD_PYTHON)
  include(python_module)
endif()

if(RML_BUILD_MICROBENCH)
  find_package(benchmark CONFIG REQUIRED)
  find_package(OpenBLAS CONFIG REQUIRED)  # its package sets variables and defines no target
  add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
  target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_LIBRARIES})
  target_include_directories(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_INCLUDE_DIRS})
endif()
