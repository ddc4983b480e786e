#include "CMediaCacheDemo.h"

// `#embed` (C23, ISO/IEC 9899:2024 §6.10.4) makes the embedded files dependencies of this source file, so that it is
// recompiled when one of them changes.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const uint8_t clip[] = {
#embed "demo-clip.mp4"
};

static const uint8_t page[] = {
#embed "demo.html"
};

mediacache_demo_file mediacache_demo_clip(void) { return (mediacache_demo_file){clip, sizeof clip}; }

mediacache_demo_file mediacache_demo_page(void) { return (mediacache_demo_file){page, sizeof page}; }
