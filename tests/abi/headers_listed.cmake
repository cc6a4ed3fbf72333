# Fails when a header below DIR is not among LISTED, or the other way round.
file(GLOB_RECURSE found RELATIVE ${DIR} ${DIR}/*.h)
list(SORT found)
list(SORT LISTED)
if(NOT found STREQUAL LISTED)
  message(FATAL_ERROR "headers on disk: ${found}\nheaders tested alone: ${LISTED}")
endif()
