#ifndef C_MEDIA_CACHE_DEMO_H
#define C_MEDIA_CACHE_DEMO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes of a file that is part of the program. They are constant, never end, and may be read by any thread.
typedef struct {
    /// The first byte.
    const uint8_t *_Nonnull bytes;
    /// How many bytes there are.
    size_t count;
} mediacache_demo_file;

/// The demo's clip: one minute of a clock, H.264 and AAC in MP4, with its index (`moov`) at the end of the file.
mediacache_demo_file mediacache_demo_clip(void);

/// The demo's page: one HTML document in UTF-8 that needs no other file.
mediacache_demo_file mediacache_demo_page(void);

#ifdef __cplusplus
}
#endif

#endif
