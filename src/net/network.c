#include "net/network.h"

/* clang-format off */
const struct stat_def network_stats[] = {
    S_COUNT(network_counts, entered, "packets", "packets accepted into an input buffer"),
    S_COUNT(network_counts, packets, "packets", "packets delivered to the port of their output"),
    S_COUNT(network_counts, flits, "flits", "flits of delivered packets"),
    S_COUNT(network_counts, bytes, "bytes", "bytes of delivered packets, headers included"),
    S_COUNT(network_counts, busy_cycles, "cycles", "cycles in which outputs carried packets, summed over outputs"),
    S_COUNT(network_counts, wait_output_cycles, "cycles", "cycles in which an input sent nothing because the output of its oldest packet served others, summed over inputs"),
    S_COUNT(network_counts, wait_port_cycles, "cycles", "cycles in which an input sent nothing because the port of its oldest packet's output was full, summed over inputs"),
    S_COUNT(network_counts, latency_cycles, "cycles", "total latency of packets, from input buffer to output port"),
    S_MEAN(network_counts, mean_latency, latency_cycles, packets, "cycles", "mean latency of a packet, from input buffer to output port"),
    S_MEAN(network_counts, flits_per_packet, flits, packets, "flits", "mean flits per packet"),
    S_LEVEL(network_counts, outputs, "outputs", "outputs of the network"),
    S_COUNT(network_counts, span_cycles, "cycles", "cycles from the start to the last packet"),
    S_FORMULA(utilisation, "busy_cycles / (outputs * span_cycles)", "ratio", "share of the outputs' time in use, until the last packet"),
    S_LAW(conservation, "entered == packets", "what enters the network leaves it"),
    S_LAW(outputs_add_up, "output.packets == packets", "every packet leaves through one output"),
    S_LAW(flits_add_up, "output.flits == flits", "every flit leaves through one output"),
    S_END,
};

const struct stat_def network_output_stats[] = {
    S_COUNT(output_counts, packets, "packets", "packets delivered to the output's port"),
    S_COUNT(output_counts, flits, "flits", "flits of delivered packets"),
    S_COUNT(output_counts, busy_cycles, "cycles", "cycles in which the output carried packets"),
    S_LAW(bandwidth, "busy_cycles <= span_cycles", "an output carries one packet at a time"),
    S_END,
};
/* clang-format on */
