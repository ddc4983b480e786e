#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CMediaCacheSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

int mc_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#endif
#endif
    (void)actions, (void)first;
    return ENOTSUP;
}

// The functions up to run_confined run in the child. They call only functions that are safe after a fork in a
// multithreaded process.

static void close_on_exec_from(int first) {
#ifdef SYS_close_range
    // 4 is CLOSE_RANGE_CLOEXEC. The pipe that reports a failure must stay open until execve.
    if (syscall(SYS_close_range, first, UINT_MAX, 4) == 0) return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > 1 << 20) most = 1 << 20;
    for (int descriptor = first; descriptor < most; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

static void limit(int resource, uint64_t most) {
    if (most == 0) return;
    struct rlimit current;
    struct rlimit new_limit = {(rlim_t)most, (rlim_t)most};
    if (getrlimit(resource, &current) == 0 && current.rlim_max != RLIM_INFINITY
        && current.rlim_max < new_limit.rlim_max) {
        new_limit.rlim_cur = new_limit.rlim_max = current.rlim_max;
    }
    setrlimit(resource, &new_limit);
}

static int place_streams(const int streams[3]) {
    int copies[3];
    // The copies have numbers above the standard streams, so that dup2 can't overwrite one before it is duplicated.
    for (int index = 0; index < 3; index++) {
        int source = streams[index];
        if (source < 0) source = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (source < 0) return -1;
        copies[index] = fcntl(source, F_DUPFD_CLOEXEC, 3);
        if (copies[index] < 0) return -1;
    }
    for (int index = 0; index < 3; index++) {
        if (dup2(copies[index], index) < 0) return -1;
    }
    return 0;
}

static void run_confined(
    const char *path, char *const arguments[], char *const environment[], const int streams[3], const char *folder,
    const mc_confinement *confinement) {
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (place_streams(streams) != 0) return;
    close_on_exec_from(3);
    if (folder != NULL && chdir(folder) != 0) return;
    umask(077);
    limit(RLIMIT_CPU, confinement->cpu_seconds);
    limit(RLIMIT_FSIZE, confinement->file_bytes);
    limit(RLIMIT_AS, confinement->memory_bytes);
    limit(RLIMIT_NOFILE, confinement->open_files);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (confinement->is_background) setpriority(PRIO_PROCESS, 0, 19);
#ifdef __linux__
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
    execve(path, arguments, environment);
}

// Creates a pipe that no other child inherits. Apple's systems can't create one atomically.
static int open_private_pipe(int ends[2]) {
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC);
#else
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

int mc_spawn_confined(
    pid_t *id, const char *path, char *const arguments[], char *const environment[], const int streams[3],
    const char *folder, const mc_confinement *confinement) {
    int report[2];
    if (open_private_pipe(report) != 0) return errno;
    // Signals are blocked, so that no handler of this process runs in the child before the defaults are restored.
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    pid_t child = fork();
    if (child == 0) {
        // The pipe's descriptor must not be one of the standard streams, which are replaced.
        int failure_pipe = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
        run_confined(path, arguments, environment, streams, folder, confinement);
        int reason = errno;
        ssize_t written = write(failure_pipe, &reason, sizeof reason);
        (void)written;
        _exit(127);
    }
    int reason = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    close(report[1]);
    if (child > 0) {
        int failure = 0;
        ssize_t count;
        do { count = read(report[0], &failure, sizeof failure); } while (count < 0 && errno == EINTR);
        if (count == sizeof failure) {
            reason = failure;
            int status;
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        } else {
            *id = child;
        }
    }
    close(report[0]);
    return reason;
}

int mc_wait_group(pid_t leader, int *status) {
    siginfo_t info;
    // The system doesn't reuse the leader's ID until it is waited for, so the group can be killed safely until then.
    while (waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT) != 0) {
        if (errno != EINTR) return -1;
    }
    kill(-leader, SIGKILL);
    while (waitpid(leader, status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return 0;
}

int mc_end_group(pid_t leader) {
    siginfo_t info;
    info.si_pid = 0;
    int result = waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT | WNOHANG);
    if (result != 0) return -1;
    return kill(-leader, SIGKILL);
}
