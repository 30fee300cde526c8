/* Ctrl-C, and what batch systems and `timeout` send, in a program's process. */
#ifndef RUN_INTERRUPT_H
#define RUN_INTERRUPT_H

#include "base/types.h"

/* `end` is called by a thread that waits for it, with nothing locked. A handler of the program's
 * own stays. True: there is such a thread. */
bool interrupt_catch(void (*end)(void));
/* It has come. */
bool interrupt_has_come(void);

#endif
