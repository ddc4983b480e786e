#ifndef C_MEDIA_CACHE_PAGE_H
#define C_MEDIA_CACHE_PAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A file of the server's page at `/`. Its bytes are constant, stay valid for the life of the program, and may be read
/// by any thread.
typedef struct {
    /// The file's name, such as `main.js`, terminated by a zero byte.
    const char *_Nonnull name;
    /// The first byte.
    const uint8_t *_Nonnull bytes;
    /// The number of bytes.
    size_t count;
} mediacache_page_file;

/// Returns the number of the page's files.
size_t mediacache_page_file_count(void);

/// Returns a file of the page.
///
/// - Parameter index: Less than `mediacache_page_file_count()`.
mediacache_page_file mediacache_page_file_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
