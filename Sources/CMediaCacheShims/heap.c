#include "CMediaCacheShims.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void mc_keep_heap_small(void) {
#if defined(__GLIBC__)
    // By default, glibc raises the mmap threshold to the size of the largest freed buffer. A playlist of several
    // megabytes would then fragment the heap. The threshold is just above 1 MiB, the size of media buffers, because
    // mapping each of them would cost more than copying it.
    mallopt(M_MMAP_THRESHOLD, 5 << 18);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}
