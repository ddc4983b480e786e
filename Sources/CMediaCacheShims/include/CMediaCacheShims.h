#ifndef CMEDIACACHESHIMS_H
#define CMEDIACACHESHIMS_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What Swift's Glibc and Darwin modules don't show. Every function returns -1 and sets errno on failure unless it
// says otherwise.

/// Continues a CRC-32C (Castagnoli; RFC 3720 appendix B.4) over `count` bytes. Start with 0.
uint32_t mc_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The CRC-32C of two runs put together, from the CRC of each and the length of the second.
uint32_t mc_crc32c_combine(uint32_t first, uint32_t second, uint64_t second_count);

/// pread that fails with EAGAIN instead of waiting for a disk. ENOTSUP where the system has no such call.
ssize_t mc_pread_nowait(int descriptor, void *buffer, size_t count, int64_t offset);

/// Makes the bytes of a file durable, and as much of its metadata as reading them needs.
int mc_sync_data(int descriptor);

/// Begins to make durable all that was written to the file system of an open file, and waits for it. ENOTSUP where the
/// system has no such call.
int mc_sync_file_system(int descriptor);

/// Gives the disk space of a range back; the file's size stays and the range reads as zeros.
int mc_punch_hole(int descriptor, int64_t offset, int64_t count);

/// Makes `destination` share the blocks of `source` (FICLONE, clonefile's per-descriptor kin). ENOTSUP where the file
/// system can't.
int mc_reflink(int source, int destination);

/// An exclusive lock on an open file that goes with the descriptor; EWOULDBLOCK when another process holds it.
int mc_lock_exclusive(int descriptor);

/// The same lock, held together with others that hold it so.
int mc_lock_shared(int descriptor);

/// Releases a lock of either kind, also where a child process that hasn't started its program yet has a copy of the
/// descriptor.
int mc_unlock(int descriptor);

/// Adds to what is done before a spawned program runs: closing every descriptor from `first` on. Returns the error's number
/// or 0; ENOTSUP where the system's library has no such action.
int mc_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// The limits of a process that reads untrusted data. A limit of 0 leaves the one of this process.
typedef struct {
    /// Seconds of processor time, of all threads together.
    uint64_t cpu_seconds;
    /// Bytes of the largest file that it writes.
    uint64_t file_bytes;
    /// Bytes of address space.
    uint64_t memory_bytes;
    /// Open descriptors.
    uint64_t open_files;
    /// Whether it runs with the lowest priority.
    int is_background;
} mc_confinement;

/// Starts a program as the leader of a process group of its own, with default signals, no other descriptors than the three
/// `streams` (-1 is /dev/null), the given environment, and the limits of `confinement`. `folder` becomes its working
/// directory; NULL leaves this process's. Returns 0 and sets `id`, or returns the error's number.
int mc_spawn_confined(
    pid_t *id, const char *path, char *const arguments[], char *const environment[], const int streams[3],
    const char *folder, const mc_confinement *confinement);

/// Waits for the end of a process group's leader, then ends the rest of its group.
int mc_wait_group(pid_t leader, int *status);

/// Ends a process group whose leader hasn't been waited for yet; ECHILD once it has.
int mc_end_group(pid_t leader);

/// Makes the heap give back what large buffers took, where the system's allocator has to be told (glibc). For a process
/// that runs for weeks.
void mc_keep_heap_small(void);

/// Inflates a whole gzip (RFC 1952) or zlib (RFC 1950) stream into `output`, which has room for `capacity` bytes.
/// Returns how many came, or -1 with errno: EFBIG if there is no room for all of it, EINVAL if the stream is damaged or
/// cut short.
ssize_t mc_inflate(const void *input, size_t count, void *output, size_t capacity);

#endif
