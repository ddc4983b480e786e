import CMediaCacheShims
import Foundation
import MediaLibrary

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program that shares this one's terminal.
///
/// Foundation's `Process` puts its children into process groups of their own on Linux; a player there can't read keys
/// from the terminal.
struct ChildProcess: Sendable, Hashable {
    /// The process's number.
    let id: pid_t

    /// Starts the program at `path` with standard streams, folder and environment as they are here.
    ///
    /// - Parameter output: the descriptor that is its standard output instead.
    /// - Throws: ``CommandFailure``.
    static func start(_ path: String, _ arguments: [String], output: Int32? = nil) throws -> ChildProcess {
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t?
            var actions: posix_spawn_file_actions_t?
        #else
            var attributes = posix_spawnattr_t()
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        // A child that has a server's sockets holds its port after its end, and connections that it closed.
        #if canImport(Darwin)
            for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addinherit_np(&actions, stream)
            }
            let options = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            _ = mc_spawn_close_from(&actions, STDERR_FILENO + 1)
            let options = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Ignored signals stay ignored in a child: a player that can't be interrupted.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Threads that run tasks block signals; a child would inherit that.
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(options))
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var id: pid_t = 0
        let code = posix_spawn(&id, path, &actions, &attributes, words, environ)
        guard code == 0 else {
            throw CommandFailure(.failed, "can't start \(path): \(String(cString: strerror(code)))")
        }
        return ChildProcess(id: id)
    }

    /// Lets everything else on this machine go first.
    func yieldToOthers() {
        #if canImport(Glibc)
            _ = setpriority(Int32(PRIO_PROCESS.rawValue), id_t(id), 19)
        #else
            _ = setpriority(Int32(PRIO_PROCESS), id_t(id), 19)
        #endif
    }

    /// Waits for the program's end; a signal that comes here meanwhile goes to it.
    ///
    /// - Returns: its exit code, or 128 and the signal's number that ended it.
    func wait(forwardingTo interruption: Interruption) async throws -> Int32 {
        let id = id
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let number = await interruption.wait() else { return }
                // At a terminal Ctrl-C has reached the player already; a second one would hurry it.
                if number == SIGTERM || isatty(STDIN_FILENO) == 0 { kill(id, number) }
            }
            defer { group.cancelAll() }
            return try await BlockingWork.run { Self.status(of: id) }
        }
    }

    /// Waits for the program's end; where the task is cancelled, ends it. What it made isn't wanted then: an encoder that was
    /// asked to end would finish its file first.
    ///
    /// - Returns: its exit code, or 128 and the signal's number that ended it.
    func wait() async throws -> Int32 {
        let id = id
        return try await withTaskCancellationHandler {
            try await BlockingWork.run { Self.status(of: id) }
        } onCancel: {
            kill(id, SIGKILL)
        }
    }

    private static func status(of id: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { return 1 }
        }
        // What the macros WIFEXITED, WEXITSTATUS and WTERMSIG do.
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
