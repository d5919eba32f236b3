# Included by evnameConfig.cmake, which sets the variables.
if(NOT TARGET evname::evname)
  add_library(evname::evname ${evname_kind} IMPORTED)
  set_target_properties(evname::evname PROPERTIES
    IMPORTED_LOCATION "${evname_location}"
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_INCLUDE_DIRECTORIES "${evname_include_dir};${evname_EXPECTED_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${evname_link}")
endif()
