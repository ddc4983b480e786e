#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CMediaCacheShims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#endif

ssize_t mc_pread_nowait(int descriptor, void *buffer, size_t count, int64_t offset) {
#if defined(__linux__) && defined(RWF_NOWAIT)
    struct iovec vector = {buffer, count};
    return preadv2(descriptor, &vector, 1, offset, RWF_NOWAIT);
#else
    (void)descriptor, (void)buffer, (void)count, (void)offset;
    errno = ENOTSUP;
    return -1;
#endif
}

int mc_sync_data(int descriptor) {
#if defined(__APPLE__)
    // On Apple platforms, fsync doesn't flush the drive's cache.
    return fcntl(descriptor, F_FULLFSYNC) == -1 ? fsync(descriptor) : 0;
#else
    return fdatasync(descriptor);
#endif
}

#if defined(__linux__)
/// Returns whether syncfs reports all failed writes. It reports those of data since Linux 5.8, and those of metadata
/// since 5.17. Since 6.13, it also reports that an ext4 file system has shut down.
static bool reports_sync_failures(int descriptor) {
    struct utsname name;
    int major, minor;
    if (uname(&name) != 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2) return false;
    const int version = major * 1000 + minor;
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0) return false;
    switch ((uint32_t)system.f_type) {
        case 0xEF53:  // ext4
            return version >= 6013;
        case 0x58465342:  // XFS
        case 0x9123683E:  // Btrfs
        case 0x01021994:  // tmpfs
            return version >= 5017;
        default:
            return false;
    }
}
#endif

int mc_sync_file_system(int descriptor) {
#if defined(__linux__)
    const bool is_reliable = reports_sync_failures(descriptor);
    if (syncfs(descriptor) != 0) return -1;
    // After an error, a file system may have become read-only, and syncfs succeeds without writing.
    struct statvfs state;
    if (fstatvfs(descriptor, &state) != 0 || (state.f_flag & ST_RDONLY) != 0) return -1;
    return is_reliable;
#else
    (void)descriptor;
    return 0;
#endif
}

int mc_punch_hole(int descriptor, int64_t offset, int64_t count) {
#if defined(__linux__)
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, count);
#elif defined(__APPLE__)
    struct fpunchhole hole = {.fp_flags = 0, .reserved = 0, .fp_offset = offset, .fp_length = count};
    return fcntl(descriptor, F_PUNCHHOLE, &hole);
#else
    (void)descriptor, (void)offset, (void)count;
    errno = ENOTSUP;
    return -1;
#endif
}

int mc_reflink(int source, int destination) {
#if defined(__linux__) && defined(FICLONE)
    return ioctl(destination, FICLONE, source);
#else
    (void)source, (void)destination;
    errno = ENOTSUP;
    return -1;
#endif
}

int mc_lock_exclusive(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

int mc_lock_shared(int descriptor) { return flock(descriptor, LOCK_SH | LOCK_NB); }

int mc_unlock(int descriptor) { return flock(descriptor, LOCK_UN); }
