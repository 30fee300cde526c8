#include "net/network.h"

/* clang-format off */
const struct stat_def network_stats[] = {
    S_COUNT(network_counts, entered, "packets", "accepted into an input buffer"),
    S_COUNT(network_counts, packets, "packets", "delivered to the port of their output"),
    S_COUNT(network_counts, flits, "flits", "of those packets"),
    S_COUNT(network_counts, bytes, "bytes", "of those packets, headers included"),
    S_COUNT(network_counts, busy_cycles, "cycles", "outputs carried those packets, summed over outputs"),
    S_COUNT(network_counts, wait_output_cycles, "cycles", "inputs with packets sent none: the oldest one's output served others; summed over inputs"),
    S_COUNT(network_counts, wait_port_cycles, "cycles", "inputs with packets sent none: the port of the oldest one's output was full; summed over inputs"),
    S_COUNT(network_counts, latency_cycles, "cycles", "from the input's buffer to the output's port, summed over packets"),
    S_MEAN(network_counts, mean_latency, latency_cycles, packets, "cycles", "from the input's buffer to the output's port"),
    S_MEAN(network_counts, flits_per_packet, flits, packets, "flits", "length of a packet"),
    S_LEVEL(network_counts, outputs, "outputs", "of the network"),
    S_COUNT(network_counts, span_cycles, "cycles", "from the start to the last packet"),
    S_FORMULA(utilisation, "busy_cycles / (outputs * span_cycles)", "ratio", "of the outputs' time, until the last packet"),
    S_LAW(conservation, "entered == packets", "what enters the network leaves it"),
    S_LAW(outputs_add_up, "output.packets == packets", "every packet leaves through one output"),
    S_LAW(flits_add_up, "output.flits == flits", "every flit leaves through one output"),
    S_END,
};

const struct stat_def network_output_stats[] = {
    S_COUNT(output_counts, packets, "packets", "put into the output's port"),
    S_COUNT(output_counts, flits, "flits", "of those packets"),
    S_COUNT(output_counts, busy_cycles, "cycles", "the output carried those packets"),
    S_LAW(bandwidth, "busy_cycles <= span_cycles", "an output carries one packet at a time"),
    S_END,
};
/* clang-format on */
