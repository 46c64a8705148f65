# Run when a test program is built: lists its tests, and writes a file that adds each to CTest.
execute_process(
  COMMAND ${EMULATOR} "${PROGRAM}" --list_tests
  WORKING_DIRECTORY "${FOLDER}"
  TIMEOUT ${SECONDS}
  OUTPUT_VARIABLE lines
  ERROR_VARIABLE said
  RESULT_VARIABLE result)
if(NOT result STREQUAL "0")
  message(FATAL_ERROR "`${PROGRAM} --list_tests` failed: ${result}\n${said}\n"
    "Link Probity::main, or call probity_main in a main of your own.")
endif()

# Each in brackets, whatever is in it.
set(arguments "")
foreach(argument IN LISTS EMULATOR PROGRAM)
  string(APPEND arguments " [==[${argument}]==]")
endforeach()
set(extra "")
foreach(argument IN LISTS EXTRA_ARGS)
  string(APPEND extra " [==[${argument}]==]")
endforeach()
set(properties "")
foreach(property IN LISTS TEST_PROPERTIES)
  string(APPEND properties " [==[${property}]==]")
endforeach()

set(text "")
# Not as a list: names of files may have semicolons and brackets.
while(lines MATCHES "^([^\n]*)\n")
  set(line "${CMAKE_MATCH_1}")
  string(LENGTH "${line}\n" length)
  string(SUBSTRING "${lines}" ${length} -1 lines)
  if(line MATCHES "^([^ ]+) \\(.*:[0-9]+\\)$")
    set(name "${CMAKE_MATCH_1}")
    set(test "[==[${TEST_PREFIX}${name}${TEST_SUFFIX}]==]")
    string(APPEND text "add_test(${test}${arguments} --probity_test [==[${name}]==]${extra})\n")
    string(APPEND text "set_tests_properties(${test} PROPERTIES WORKING_DIRECTORY [==[${FOLDER}]==]")
    if(name MATCHES "Disabled|DISABLED")
      string(APPEND text " DISABLED TRUE")
    endif()
    string(APPEND text "${properties})\n")
  endif()
endwhile()
file(WRITE "${OUTPUT}" "${text}")
