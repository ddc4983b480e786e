#ifndef CMEDIACACHESHIMS_H
#define CMEDIACACHESHIMS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Functions of the system and its libraries, with the same interface on all platforms. Unless documented otherwise,
// functions return -1 and set errno on failure.

/// Returns a CRC-32C (Castagnoli; RFC 3720 appendix B.4) continued over `count` bytes. The initial value is 0.
uint32_t mc_crc32c(uint32_t crc, const void *bytes, size_t count);

/// Returns the CRC-32C of two concatenated byte sequences, given the CRC-32C of each and the length of the second.
uint32_t mc_crc32c_combine(uint32_t first, uint32_t second, uint64_t second_count);

/// Reads like pread, but never waits for a disk: returns only the first bytes that are in memory, or fails with EAGAIN
/// if there are none. Fails with ENOTSUP if the system doesn't support this.
ssize_t mc_pread_nowait(int descriptor, void *buffer, size_t count, int64_t offset);

/// Makes a file's bytes durable, including the metadata needed to read them.
int mc_sync_data(int descriptor);

/// Makes all writes to the file system of an open file durable. Returns 1 on success, 0 if a failed write since the
/// file was opened may be unreported, for example because the system doesn't support this.
int mc_sync_file_system(int descriptor);

/// Frees the disk space of a range. The size of the file is unchanged, and the range reads as zeros. On Apple
/// platforms, fails with EINVAL unless the range consists of whole blocks of the file system. Fails with ENOTSUP if the
/// system doesn't support this.
int mc_punch_hole(int descriptor, int64_t offset, int64_t count);

/// Makes `destination` share the blocks of `source` (FICLONE). Fails with ENOTSUP if the file system or the system
/// doesn't support this.
int mc_reflink(int source, int destination);

/// Acquires an exclusive lock on an open file. The lock is held until mc_unlock, or until all copies of the descriptor
/// are closed. Fails with EWOULDBLOCK if the file is locked through a descriptor that was opened separately, even by
/// this process.
int mc_lock_exclusive(int descriptor);

/// Acquires a shared lock on an open file, held like that of mc_lock_exclusive. Fails with EWOULDBLOCK if the file is
/// locked exclusively through a descriptor that was opened separately, even by this process.
int mc_lock_shared(int descriptor);

/// Releases a lock of either kind, even if a forked child that hasn't called exec yet has a copy of the descriptor.
int mc_unlock(int descriptor);

/// Configures the allocator to return the memory of large buffers to the system soon after it's freed, for long-running
/// processes. Has no effect without glibc.
void mc_keep_heap_small(void);

/// Inflates all members of a gzip file (RFC 1952), or a zlib stream (RFC 1950), into `output` of `capacity` bytes.
/// Ignores bytes after the end unless the first is 0x1F, which begins another gzip member. Returns the number of bytes
/// written, or -1 with errno: EFBIG if the capacity is too small or a size is 4 GiB or more, EINVAL if the data is
/// damaged or truncated, ENOMEM.
ssize_t mc_inflate(const void *input, size_t count, void *output, size_t capacity);

// Cryptography of the system: OpenSSL's libcrypto on Linux, CommonCrypto on Apple platforms.

/// Writes the 32-byte SHA-256 hash (FIPS 180-4) of the bytes.
void mc_sha256(const void *bytes, size_t count, uint8_t *digest);

/// Writes the 32-byte HMAC-SHA-256 (RFC 2104) of the bytes.
void mc_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, uint8_t *code);

/// A mode of AES (NIST SP 800-38A).
typedef enum { mc_aes_cbc, mc_aes_ctr } mc_aes_mode;

/// Encrypts or decrypts without padding. Returns whether it succeeded.
///
/// - Parameters:
///   - key: 16 or 32 bytes.
///   - vector: The initialization vector or the first counter, 16 bytes.
///   - count: The number of bytes, less than 2 GiB. A multiple of 16 in CBC mode.
int mc_aes(mc_aes_mode mode, int encrypts, const uint8_t *key, size_t key_count, const uint8_t *vector,
           const uint8_t *input, size_t count, uint8_t *output);

#endif
