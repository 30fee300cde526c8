#include "cuda/core/early_exit.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#define FLUSH_MICROSECONDS 500000

static volatile sig_atomic_t exit_code;

static void on_alarm(int number)
{
    (void)number;
    _exit(exit_code);
}

void cu_leave(int code)
{
    const struct itimerval patience = {.it_value.tv_usec = FLUSH_MICROSECONDS};
    sigset_t alarm_only;
    exit_code = code;
    /* A thread that reads from a terminal holds the lock of that file. */
    signal(SIGALRM, on_alarm);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
    setitimer(ITIMER_REAL, &patience, NULL);
    fflush(NULL);
    _exit(code);
}
