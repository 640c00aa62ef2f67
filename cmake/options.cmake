# Compile options that every target of the project shares.
add_library(dovetail_options INTERFACE)
target_compile_options(dovetail_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                       -Wold-style-cast -Wcast-qual -Woverloaded-virtual)
# GCC 12 warns without reason about joining short strings in optimised builds (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(dovetail_options INTERFACE -Wno-restrict)
endif()
if(DOVETAIL_WERROR)
  target_compile_options(dovetail_options INTERFACE -Werror)
endif()
if(DOVETAIL_SANITIZE)
  add_compile_options(-fsanitize=${DOVETAIL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DOVETAIL_SANITIZE})
endif()
