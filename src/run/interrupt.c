#include "run/interrupt.h"

#include "base/err.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#define IMPATIENT 2 /* times Ctrl-C was pressed before (a shell's wrapper may double it) */

static volatile sig_atomic_t interrupted;
static sem_t interrupt;

static void on_interrupt(int number)
{
    (void)number;
    if (interrupted == IMPATIENT)
        _exit(ERR_INTERRUPTED);
    interrupted = interrupted + 1;
    sem_post(&interrupt);
}

bool interrupt_has_come(void)
{
    return interrupted != 0;
}

static void (*end_of_run)(void);

/* Whoever simulates notices by itself; a host that computes or sleeps does not. */
static void *wait_for_interrupt(void *unused)
{
    (void)unused;
    while (sem_wait(&interrupt) != 0)
        ;
    end_of_run();
    return NULL;
}

bool interrupt_catch(void (*end)(void))
{
    static const int wanted[] = {SIGINT, SIGTERM};
    struct sigaction now, ours = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    bool is_free[2], has_thread = false;
    sigset_t all, old;
    pthread_t thread;
    for (u32 i = 0; i < 2; i++)
        is_free[i] = sigaction(wanted[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL;
    if (!is_free[0] && !is_free[1])
        return false;
    end_of_run = end;
    sem_init(&interrupt, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, NULL, wait_for_interrupt, NULL) == 0) {
        pthread_detach(thread);
        for (u32 i = 0; i < 2; i++) {
            if (is_free[i])
                sigaction(wanted[i], &ours, NULL);
        }
        has_thread = true;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return has_thread;
}
