# Targets:
#   Probity::probity   the library, linked into the program
#   Probity::shared    the same as a shared library, which the concolic engine does not follow; bring a `main` that
#                      calls probity_main
#   Probity::main      the library and a `main` that runs the tests
#   Probity::fuzz      the same for a file that defines LLVMFuzzerTestOneInput
#   Probity::entry     the library and a LLVMFuzzerTestOneInput that runs a test
#
#   probity_discover_tests(TARGET [TEST_PREFIX TEXT] [TEST_SUFFIX TEXT] [WORKING_DIRECTORY DIR]
#                          [EXTRA_ARGS ARG..] [PROPERTIES NAME VALUE..] [DISCOVERY_TIMEOUT SECONDS])
# has CTest run each test of a program: they are listed whenever the program is built.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

get_filename_component(_probity_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

function(_probity_add name kind file)
  if(NOT TARGET Probity::${name})
    add_library(Probity::${name} ${kind} IMPORTED)
    set_target_properties(Probity::${name} PROPERTIES
      IMPORTED_LOCATION "${_probity_prefix}/lib/${file}"
      INTERFACE_INCLUDE_DIRECTORIES "${_probity_prefix}/include"
      INTERFACE_LINK_LIBRARIES "${ARGN}")
  endif()
endfunction()

set(_probity_links Threads::Threads ${CMAKE_DL_LIBS} m)
if(APPLE)
  list(APPEND _probity_links "-framework CoreFoundation")
endif()
_probity_add(probity STATIC libprobity.a ${_probity_links})
_probity_add(shared SHARED libprobity${CMAKE_SHARED_LIBRARY_SUFFIX})
_probity_add(main STATIC libprobity_main.a Probity::probity)
_probity_add(fuzz STATIC libprobity_fuzz.a Probity::probity)
_probity_add(entry STATIC libprobity_entry.a Probity::probity)

set(_PROBITY_ADD_TESTS "${CMAKE_CURRENT_LIST_DIR}/ProbityAddTests.cmake")

function(probity_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TEST_PREFIX;TEST_SUFFIX;WORKING_DIRECTORY;DISCOVERY_TIMEOUT"
    "EXTRA_ARGS;PROPERTIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "probity_discover_tests(${target}): unknown arguments `${arg_UNPARSED_ARGUMENTS}`")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "probity_discover_tests(${target}): there is no such target; add_executable makes one")
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  if(NOT arg_DISCOVERY_TIMEOUT)
    set(arg_DISCOVERY_TIMEOUT 30)
  endif()
  # Where there are several configurations, each has its own program and its own list.
  get_property(is_multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${target}_probity")
  set(written "${base}_tests.cmake")
  set(read "${written}")
  if(is_multi)
    set(written "${base}_tests-$<CONFIG>.cmake")
    set(read "${base}_tests-\${CTEST_CONFIGURATION_TYPE}.cmake")
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${CMAKE_COMMAND}"
      -D "PROGRAM=$<TARGET_FILE:${target}>"
      -D "EMULATOR=$<TARGET_PROPERTY:${target},CROSSCOMPILING_EMULATOR>"
      -D "TEST_PREFIX=${arg_TEST_PREFIX}"
      -D "TEST_SUFFIX=${arg_TEST_SUFFIX}"
      -D "FOLDER=${arg_WORKING_DIRECTORY}"
      -D "EXTRA_ARGS=${arg_EXTRA_ARGS}"
      -D "TEST_PROPERTIES=${arg_PROPERTIES}"
      -D "SECONDS=${arg_DISCOVERY_TIMEOUT}"
      -D "OUTPUT=${written}"
      -P "${_PROBITY_ADD_TESTS}"
    VERBATIM)
  file(WRITE "${base}_include.cmake"
    "if(EXISTS \"${read}\")\n  include(\"${read}\")\nelse()\n  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}_include.cmake")
endfunction()
