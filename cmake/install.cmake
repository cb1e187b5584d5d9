# The engine as a CMake package: find_package(rml) gives rml::engine. Headers keep their folders under include/rml, so
# that #include "engine/exec/executor.h" reads the same inside and outside this tree. examples/embed uses it.
# With the server, find_package(rml COMPONENTS client) gives rml::client, which needs gRPC and protobuf; examples/client
# uses it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(engine_targets)
foreach(folder base kernels gemm graph ops fusion passes exec)
  if(TARGET engine_${folder})
    list(APPEND engine_targets engine_${folder})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rml/engine
      FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
  endif()
endforeach()

add_library(engine INTERFACE)
target_link_libraries(engine INTERFACE project_options ${engine_targets})
add_library(rml::engine ALIAS engine)

install(TARGETS engine project_options ${engine_targets} EXPORT rmlTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rmlTargets NAMESPACE rml:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rml)

if(TARGET client_cpp)
  set_target_properties(client_cpp PROPERTIES EXPORT_NAME client)
  install(TARGETS client_cpp proto proto_grpc EXPORT rmlClientTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT rmlClientTargets NAMESPACE rml:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rml)
  install(FILES ${PROJECT_SOURCE_DIR}/client/cpp/client.h ${PROJECT_SOURCE_DIR}/client/cpp/retry.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rml/client/cpp)
  install(FILES ${PROJECT_BINARY_DIR}/proto/gen/rml/v1/inference.pb.h
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rml/rml/v1)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rmlConfig.cmake.in ${PROJECT_BINARY_DIR}/rmlConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rml)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rmlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rmlConfig.cmake ${PROJECT_BINARY_DIR}/rmlConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rml)
