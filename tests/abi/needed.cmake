# Fails unless TOOL is linked the way upstream's tools are: DT_NEEDED librocprofiler-sdk.so.1.
execute_process(COMMAND ${READELF} -d ${TOOL} OUTPUT_VARIABLE dynamic)
if(NOT dynamic MATCHES "NEEDED[^\n]*\\[librocprofiler-sdk\\.so\\.1\\]")
  message(FATAL_ERROR "no DT_NEEDED librocprofiler-sdk.so.1 in ${TOOL}:\n${dynamic}")
endif()
