#include "CMediaCacheShims.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void mc_keep_heap_small(void) {
#if defined(__GLIBC__)
    // By default, glibc raises the mmap threshold to the size of the largest freed buffer, so playlists of several
    // megabytes would fragment the heap from then on. Media buffers of 1 MiB remain just below the threshold, because
    // mapping each would cost more than copying it.
    mallopt(M_MMAP_THRESHOLD, 5 << 18);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}
