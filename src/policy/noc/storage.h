/*
 * What virtual-channel partitioning costs in storage (tap-and-vcp spec 3.14): bits of every router
 * and its node, and of the central logic of F-VCP. The thesis names the parts and prints no number;
 * widths of counters are assumed.
 */
#ifndef POLICY_NOC_STORAGE_H
#define POLICY_NOC_STORAGE_H

#include "net/mesh/mesh.h"
#include "policy/warp/storage.h"

#define VCP_TABLES 2u

/* Of a router with its node, and of the chip. */
void vcp_storage(const struct mesh_config *c, struct storage tables[VCP_TABLES]);

#endif
