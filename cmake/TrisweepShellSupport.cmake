# trisweep_install_shell_support(COMMAND program SHARE folder): what bash, zsh, fish and man know of the command, below
# that folder. Runs when the library is installed; where the command cannot run, as MPI may refuse on the front end of a
# cluster, a warning says so.
cmake_policy(VERSION 3.24)

function(trisweep_install_shell_support)
  cmake_parse_arguments(ARG "" "COMMAND;SHARE" "" ${ARGN})
  foreach(shell_and_file bash=bash-completion/completions/trisweep zsh=zsh/site-functions/_trisweep
                         fish=fish/vendor_completions.d/trisweep.fish manual=man/man1)
    string(REGEX MATCH "^([a-z]+)=(.*)$" matched ${shell_and_file})
    set(output ${ARG_SHARE}/${CMAKE_MATCH_2})
    if(CMAKE_MATCH_1 STREQUAL manual)
      set(words manual)
      file(MAKE_DIRECTORY ${output})
    else()
      set(words completion ${CMAKE_MATCH_1})
      cmake_path(GET output PARENT_PATH folder)
      file(MAKE_DIRECTORY ${folder})
    endif()
    execute_process(COMMAND ${ARG_COMMAND} ${words} -o ${output} RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
      message(WARNING "trisweep ${words} -o ${output} failed, and nothing was installed there: ${error}")
    endif()
  endforeach()
endfunction()
