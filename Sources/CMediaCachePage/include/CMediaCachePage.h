#ifndef C_MEDIA_CACHE_PAGE_H
#define C_MEDIA_CACHE_PAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A file of the server's page. Its bytes are constant, valid until the program ends, and readable on any thread.
typedef struct {
    /// The name, such as `main.js`, as a null-terminated string.
    const char *_Nonnull name;
    const uint8_t *_Nonnull bytes;
    /// The length of the file in bytes.
    size_t count;
} mediacache_page_file;

/// Returns the number of files of the page.
size_t mediacache_page_file_count(void);

/// Returns the file at an index, which must be less than `mediacache_page_file_count()`.
mediacache_page_file mediacache_page_file_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
