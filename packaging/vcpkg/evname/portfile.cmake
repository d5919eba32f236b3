vcpkg_from_github(
    OUT_SOURCE_PATH SOURCE_PATH
    REPO evname/evname
    REF "v${VERSION}"
    SHA512 0
    HEAD_REF main
)

set(tools false)
if("tools" IN_LIST FEATURES)
    set(tools true)
endif()
foreach(feature IN ITEMS symbols profiles zstd)
    set(${feature} disabled)
    if(feature IN_LIST FEATURES)
        set(${feature} enabled)
    endif()
endforeach()

vcpkg_configure_meson(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -Dtests=false
        -Dstatic_command=disabled
        -Dtools=${tools}
        -Dzstd=${zstd}
        -Dprotozero=${profiles}
        -Dzlib=${profiles}
        -Dsymbols=${symbols}
        -Diberty=disabled
        -Dlibdeflate=disabled
        -Dcapstone=disabled
)
vcpkg_install_meson()
vcpkg_copy_pdbs()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/evname)
# The file finds the rest from where it is, and was one folder deeper.
vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/evname/evnameConfig.cmake"
    "\${evname_dir}/../../.." "\${evname_dir}/../..")
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES evname AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
