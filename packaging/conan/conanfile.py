import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain
from conan.tools.scm import Version

required_conan_version = ">=2.0"


class EvnameConan(ConanFile):
    name = "evname"
    description = "PMU event names to raw codes and back, and names for perf.data samples"
    license = "MIT"
    topics = ("perf", "pmu", "profiling", "linux")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "with_zstd": [True, False], "with_elfutils": [True, False],
               "with_protozero": [True, False], "tools": [True, False], "models": ["ANY"]}
    default_options = {"shared": False, "fPIC": True, "with_zstd": True, "with_elfutils": False, "with_protozero": False,
                       "tools": False, "models": ""}
    implements = ["auto_shared_fpic"]

    def layout(self):
        basic_layout(self, src_folder="src")

    def requirements(self):
        self.requires("fmt/[>=9 <12]")
        self.requires("tl-expected/[>=1.0 <2]", transitive_headers=True)
        self.requires("rapidjson/cci.20230929", visible=False)
        self.requires("tsl-robin-map/[>=1.2 <2]", visible=False)
        if self.options.with_zstd:
            self.requires("zstd/[>=1.5 <1.6]")
        if self.options.with_elfutils:  # names of functions
            self.requires("elfutils/0.190")
        if self.options.with_protozero:  # profiles for pprof and Perfetto
            self.requires("protozero/1.7.1", visible=False)
            self.requires("zlib/[>=1.2.11 <2]")

    def build_requirements(self):
        self.tool_requires("meson/[>=1.0 <2]")
        if not self.conf.get("tools.gnu:pkg_config", check_type=str):
            self.tool_requires("pkgconf/[>=2.0 <3]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("evname reads Linux's files")
        check_min_cppstd(self, 20)
        if self.settings.compiler == "gcc" and Version(self.settings.compiler.version) < 12:
            raise ConanInvalidConfiguration("evname needs gcc 12 or clang 16")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = MesonToolchain(self)
        toolchain.project_options["tests"] = False
        toolchain.project_options["tools"] = bool(self.options.tools)
        toolchain.project_options["static_command"] = "disabled"
        for feature, wanted in {"zstd": self.options.with_zstd, "symbols": self.options.with_elfutils,
                                "protozero": self.options.with_protozero, "zlib": self.options.with_protozero,
                                "capstone": False, "iberty": False,
                                "libdeflate": False}.items():
            toolchain.project_options[feature] = "enabled" if wanted else "disabled"
        toolchain.project_options["wrap_mode"] = "nofallback"
        if str(self.options.models):
            toolchain.project_options["models"] = str(self.options.models).split(",")
        toolchain.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        Meson(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "evname")
        self.cpp_info.set_property("cmake_target_name", "evname::evname")
        self.cpp_info.set_property("pkg_config_name", "evname")
        if self.options.shared:
            self.cpp_info.libs = ["evname"]
            self.cpp_info.system_libs = ["pthread"]
            return
        # Static libraries: one for each wing and what is below them all, and one of the C interface.
        outside = {"zstd": self.options.with_zstd, "elfutils": self.options.with_elfutils, "zlib": self.options.with_protozero}
        components = {
            "events": (["evname-events", "evname-compiler", "evname-perf-format", "evname-base", "evname-tables"],
                       ["fmt::fmt", "tl-expected::tl-expected"]),
            "recordings": (["evname-recordings"], ["events", *(f"{name}::{name}" for name, used in outside.items() if used)]),
            "counting": (["evname-counting"], ["events", *(["zstd::zstd"] if self.options.with_zstd else [])]),
            "sampler": (["evname-sampler"], ["recordings", "counting"]),
            "c": (["evname-c"], ["sampler"]),
        }
        for name, (libs, requires) in components.items():
            component = self.cpp_info.components[name]
            component.libs = libs
            component.requires = requires
            component.system_libs = ["pthread"]
            component.set_property("cmake_target_name", f"evname::{name}")
            component.set_property("pkg_config_name", f"evname-{name}")
