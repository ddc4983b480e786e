#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CMediaCacheShims.h"

#include <errno.h>

int mc_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    (void)actions;
    (void)first;
    return ENOTSUP;
#endif
}
