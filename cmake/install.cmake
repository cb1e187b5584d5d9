# The engine as a CMake package: find_package(rml) gives rml::engine. Headers keep their folders under include/rml, so
# that #include "engine/exec/executor.h" reads the same inside and outside this tree. examples/embed uses it.
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
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rmlConfig.cmake.in ${PROJECT_BINARY_DIR}/rmlConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rml)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rmlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rmlConfig.cmake ${PROJECT_BINARY_DIR}/rmlConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rml)
