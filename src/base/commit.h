/* The commit that this program was built from, with "-dirty" if files had changed; "unknown"
 * outside a clone. */
#ifndef BASE_COMMIT_H
#define BASE_COMMIT_H

extern const char heddle_commit[];

#endif
