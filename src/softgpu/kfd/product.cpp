// What happens when the library is loaded, into every process that inherits LD_PRELOAD: next to nothing. No
// thread, no file, no option read; all that waits until the process touches a path of ours.
#include "base/log.hpp"

namespace {

[[gnu::constructor]] void name_the_product() { kreplay::log::set_product("kreplay-softgpu"); }

}  // namespace
