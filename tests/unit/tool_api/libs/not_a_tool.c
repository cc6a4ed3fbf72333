/* A library without rocprofiler_configure. */
int kreplay_not_a_tool(void) { return 1; }
