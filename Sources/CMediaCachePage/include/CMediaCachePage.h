#ifndef C_MEDIA_CACHE_PAGE_H
#define C_MEDIA_CACHE_PAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A file of the page that the server shows at `/`. Its bytes are constant, never end, and may be read by any thread.
typedef struct {
    /// What it's called, as `main.js`.
    const char *_Nonnull name;
    /// The first byte.
    const uint8_t *_Nonnull bytes;
    /// How many bytes there are.
    size_t count;
} mediacache_page_file;

/// How many files the page has.
size_t mediacache_page_file_count(void);

/// One of them. The index is less than their count.
mediacache_page_file mediacache_page_file_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
