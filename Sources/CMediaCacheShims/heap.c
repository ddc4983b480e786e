#include "CMediaCacheShims.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void mc_keep_heap_small(void) {
#if defined(__GLIBC__)
    // Left alone, glibc raises the size from which buffers are mapped by themselves to that of the largest one freed, and
    // playlists of several megabytes leave holes in the heap from then on. The pieces that media comes in (1 MiB) stay
    // just below, since mapping each would cost more than copying it.
    mallopt(M_MMAP_THRESHOLD, 5 << 18);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}
