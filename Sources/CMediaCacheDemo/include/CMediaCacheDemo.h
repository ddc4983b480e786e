#ifndef C_MEDIA_CACHE_DEMO_H
#define C_MEDIA_CACHE_DEMO_H

#include <stddef.h>
#include <stdint.h>

/// The constant bytes of an embedded file, valid for the life of the program.
typedef struct {
    const uint8_t *_Nonnull bytes;
    size_t count;
} mediacache_demo_file;

/// Returns the demo's clip: one minute of H.264 and AAC in MP4, with its index (`moov`) at the end of the file.
mediacache_demo_file mediacache_demo_clip(void);

/// Returns the demo's page: a self-contained HTML document in UTF-8.
mediacache_demo_file mediacache_demo_page(void);

#endif
