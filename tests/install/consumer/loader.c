/* Loads the library named by its argument and calls consumer_report(). */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*report)(void) = (int (*)(void))dlsym(library, "consumer_report");
  return report ? report() : 1;
}
