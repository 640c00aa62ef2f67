# Compile options that every target of the project shares.
add_library(dovetail_options INTERFACE)
target_compile_options(dovetail_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                       -Wold-style-cast -Wcast-qual -Woverloaded-virtual)
# GCC 12 warns without reason about joining short strings in optimised builds (its bugs 105329 and 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(dovetail_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(DOVETAIL_WERROR)
  target_compile_options(dovetail_options INTERFACE -Werror)
endif()
# What users run: an overrun buffer ends the program instead of being used against it, and what the linker fills in is
# read-only afterwards. Builds for tests do without FORTIFY, which hides mistakes from sanitizers.
set(hardened $<CONFIG:Release,RelWithDebInfo>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DOVETAIL_SANITIZE)
  target_compile_options(dovetail_options INTERFACE
                         $<${hardened}:-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
  target_link_options(dovetail_options INTERFACE $<${hardened}:-Wl,-z,relro,-z,now>)
endif()
if(DOVETAIL_SANITIZE)
  add_compile_options(-fsanitize=${DOVETAIL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DOVETAIL_SANITIZE})
endif()
