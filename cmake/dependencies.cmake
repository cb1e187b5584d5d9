# Every outside library, found once. All of them come from Debian 12; docs/decisions/dependencies.md says what each is for.
#   engine     Threads, absl, nlohmann_json (graph reader only), ZLIB (checksum of the weights)
#   commands   CLI11
#   tests      GTest
#   server     Protobuf, gRPC, spdlog, prometheus-cpp, libmicrohttpd         RML_BUILD_SERVER
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
  find_package(gRPC CONFIG REQUIRED)
  find_package(spdlog CONFIG REQUIRED)
  find_package(prometheus-cpp CONFIG REQUIRED)
  pkg_check_modules(libmicrohttpd REQUIRED IMPORTED_TARGET libmicrohttpd)
endif()

if(RML_BUILD_MICROBENCH)
  find_package(benchmark CONFIG REQUIRED)
  find_package(OpenBLAS CONFIG REQUIRED)  # its package sets variables and defines no target
  add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
  target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_LIBRARIES})
  target_include_directories(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_INCLUDE_DIRS})
endif()
