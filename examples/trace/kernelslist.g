MemcpyHtoD,0x00007f3a8b200000,960
MemcpyHtoD,0x00007f3a8b200400,960
kernel-1.traceg
kernel-2.traceg
