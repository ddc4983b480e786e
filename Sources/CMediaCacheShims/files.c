#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CMediaCacheShims.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
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

int mc_sync_file_system(int descriptor) {
#if defined(__linux__)
    return syncfs(descriptor);
#else
    (void)descriptor;
    errno = ENOTSUP;
    return -1;
#endif
}

int mc_reports_sync_failures(int descriptor) {
#if defined(__linux__)
    // Failed writes of bytes are reported since Linux 5.8, and those of the journal since 5.17.
    struct utsname name;
    int major, minor;
    if (uname(&name) != 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2) return 0;
    if (major < 5 || (major == 5 && minor < 17)) return 0;
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0) return 0;
    switch ((uint32_t)system.f_type) {
        case 0xEF53:      // ext4
        case 0x58465342:  // XFS
        case 0x9123683E:  // Btrfs
        case 0xF2F52010:  // F2FS
        case 0x01021994:  // tmpfs
            return 1;
        default:
            return 0;
    }
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
