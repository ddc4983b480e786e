#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CMediaCacheShims.h"

#include <errno.h>

int mc_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#endif
#endif
    (void)actions;
    (void)first;
    return ENOTSUP;
}
