#include "CMediaCacheAssets.h"

// The files lie beside this one. `#embed` (C23, ISO/IEC 9899:2024 §6.10.4) puts them into the object file as they are;
// the compiler lists them among what this file depends on, so that a changed file is compiled in again.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const uint8_t demo_clip[] = {
#embed "demo-clip.mp4"
};

static const uint8_t demo_page[] = {
#embed "demo.html"
};

mediacache_asset mediacache_asset_demo_clip(void) {
    return (mediacache_asset){demo_clip, sizeof demo_clip};
}

mediacache_asset mediacache_asset_demo_page(void) {
    return (mediacache_asset){demo_page, sizeof demo_page};
}
