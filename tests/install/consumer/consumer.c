/* The smallest thing that uses the tool interface: reports the version and a status name. */
#include <rocprofiler-sdk/rocprofiler.h>
#include <stdio.h>

__attribute__((visibility("default"))) int consumer_report(void) {
  uint32_t major = 0, minor = 0, patch = 0;
  if (rocprofiler_get_version(&major, &minor, &patch) != ROCPROFILER_STATUS_SUCCESS) return 1;
  const char* name = rocprofiler_get_status_name(ROCPROFILER_STATUS_SUCCESS);
  /* "ROCPROFILER_STATUS_" is 19 characters. */
  printf("%u %s\n", 10000 * major + 100 * minor + patch, name ? name + 19 : "no name");
  return 0;
}
