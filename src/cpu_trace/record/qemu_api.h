/*
 * What the plugin uses of QEMU's interface for TCG plugins, version 1 (QEMU 4.2 to 8.x; Debian 12
 * has 7.2). Debian packages no header for it; names and types are the interface itself, and are
 * resolved when QEMU loads the plugin.
 */
#ifndef CPU_TRACE_RECORD_QEMU_API_H
#define CPU_TRACE_RECORD_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT __attribute__((visibility("default")))
#define QEMU_API_VERSION 1

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct qemu_info {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
};

enum qemu_plugin_cb_flags { QEMU_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_READ = 1, QEMU_WRITE, QEMU_READ_WRITE };

typedef void (*qemu_simple_cb)(qemu_plugin_id_t id);
typedef void (*qemu_vcpu_cb)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_exec_cb)(unsigned int vcpu, void *data);
typedef void (*qemu_translate_cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_memory_cb)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
                               void *data);
typedef void (*qemu_syscall_cb)(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1,
                                uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                                uint64_t a7, uint64_t a8);
typedef void (*qemu_syscall_ret_cb)(qemu_plugin_id_t id, unsigned int vcpu, int64_t number,
                                    int64_t result);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_vcpu_cb cb);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, qemu_vcpu_cb cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_translate_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_exec_cb cb,
                                          enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_memory_cb cb,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
                                      void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_syscall_cb cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_syscall_ret_cb cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_simple_cb cb);

#endif
