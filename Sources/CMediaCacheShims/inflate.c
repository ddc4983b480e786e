#include "CMediaCacheShims.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

ssize_t mc_inflate(const void *input, size_t count, void *output, size_t capacity) {
    if (count > UINT_MAX || capacity > UINT_MAX) {
        errno = EFBIG;
        return -1;
    }
    z_stream stream = {0};
    // Adding 32 makes zlib detect the gzip or zlib format from the header.
    if (inflateInit2(&stream, 15 + 32) != Z_OK) {
        errno = ENOMEM;
        return -1;
    }
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)capacity;
    int status;
    do {
        status = inflate(&stream, Z_FINISH);
        // A gzip file may have several members (RFC 1952 §2.2).
    } while (status == Z_STREAM_END && stream.avail_in > 0 && *stream.next_in == 0x1f && inflateReset(&stream) == Z_OK);
    ssize_t inflated = (ssize_t)(capacity - stream.avail_out);
    int is_full = stream.avail_out == 0;
    inflateEnd(&stream);
    if (status == Z_STREAM_END) return inflated;
    errno = is_full ? EFBIG : EINVAL;
    return -1;
}
