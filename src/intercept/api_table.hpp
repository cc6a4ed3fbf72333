// The runtime's own function table: what its exports jump through. Entries we hook are replaced by thunks
// that end in the same hook functions.
#pragma once

#include <cstdint>

#include "hsa/hsa_api.hpp"

namespace kreplay::intercept {

/// Puts our thunks into the table and saves the originals.
/// Layouts are chosen by each sub-table's major_id and bounded by its minor_id (its size in bytes); a
/// sub-table of an unknown major is left alone. Finding our own thunk in a slot keeps the original saved
/// before.
/// @param table HsaApiTable* as OnLoad gets it
/// @return entries that are ours now
unsigned install_table(void* table);

/// From now on a table that the runtime gives to rocprofiler-register is taken as OnLoad takes it. May be
/// called again; before the runtime's hsa_init.
void accept_registered_tables();

/// Byte offset of an AMD extension entry in a sub-table of this major; 0 when unknown there.
uint32_t amd_table_offset(hsa::EntryPoint entry, uint32_t major);

}  // namespace kreplay::intercept
