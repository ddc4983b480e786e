#ifndef CMEDIACACHESPAWN_H
#define CMEDIACACHESPAWN_H

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

// Functions that start and end programs, for the command. They are in a target of their own, which no library product
// depends on, because fork and posix_spawn don't exist on tvOS.

/// Adds an action that closes the descriptor `first` and all higher ones before a spawned program runs. Returns 0 or an
/// error number: ENOTSUP if the C library doesn't support this.
int mc_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// The limits of a process that reads untrusted data. If a limit is 0, the process inherits that of its parent.
typedef struct {
    /// The maximum processor time of all threads, in seconds.
    uint64_t cpu_seconds;
    /// The maximum size of a written file, in bytes.
    uint64_t file_bytes;
    /// The maximum size of the address space, in bytes.
    uint64_t memory_bytes;
    /// The maximum number of open descriptors.
    uint64_t open_files;
    /// Whether the process runs with the lowest priority.
    int is_background;
} mc_confinement;

/// Starts a program as the leader of a new process group, with default signal handlers, the given environment, and the
/// limits of `confinement`. It inherits only the three descriptors in `streams`; -1 means /dev/null. `folder` is its
/// working directory, or NULL for that of this process. Only the owner can access the files that it creates. It writes
/// no core dumps and, on Linux, can't gain privileges. Returns 0 and sets `id`, or returns an error number.
int mc_spawn_confined(
    pid_t *id, const char *path, char *const arguments[], char *const environment[], const int streams[3],
    const char *folder, const mc_confinement *confinement);

/// Waits until the leader of a process group ends, then kills the rest of the group. Sets `status` as waitpid does.
/// Returns 0, or -1 with errno.
int mc_wait_group(pid_t leader, int *status);

/// Kills a process group whose leader hasn't been waited for yet. Returns 0, or -1 with errno: ECHILD if the leader has
/// been waited for.
int mc_end_group(pid_t leader);

#endif
