import CMediaCacheShims
import Dispatch
import Foundation
import MediaLibrary
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program that this process started: one of the user's session, which shares the terminal, or a confined one, which
/// reads untrusted data.
///
/// Foundation's `Process` puts its children into process groups of their own on Linux; a player there can't read keys
/// from the terminal.
struct ChildProcess: Sendable, Hashable {
    /// The process's number.
    let id: pid_t
    /// Whether it leads a process group of its own, which ends with it.
    private(set) var leadsGroup = false

    /// Starts a program that belongs to the user's session, with this process's standard streams, folder and network, and
    /// its environment without the settings of `mediacache`.
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
        let words = CStrings([path] + arguments)
        let environment = CStrings(ChildEnvironment.session())
        var id: pid_t = 0
        let code = withExtendedLifetime((words, environment)) {
            posix_spawn(&id, path, &actions, &attributes, words.pointers, environment.pointers)
        }
        guard code == 0 else { throw Self.failure(path, code) }
        return ChildProcess(id: id)
    }

    /// Starts a program that reads untrusted data, in a process group of its own and within limits, with a minimal
    /// environment and no descriptors but its standard streams. Its deadline is kept by ``ChildDeadline``.
    ///
    /// - Parameters:
    ///   - folder: its working directory and its folder for temporary files; nil leaves this process's.
    ///   - input: the descriptor that becomes its standard input; nil is `/dev/null`.
    ///   - output: the descriptor that becomes its standard output; nil is `/dev/null`.
    /// - Throws: ``CommandFailure``.
    static func startConfined(
        _ path: String, _ arguments: [String], within confinement: Confinement, in folder: String? = nil,
        input: Int32? = nil, output: Int32? = nil
    ) throws -> ChildProcess {
        let words = CStrings([path] + arguments)
        let environment = CStrings(ChildEnvironment.confined(temporary: folder))
        var limits = confinement.systemLimits
        var id: pid_t = 0
        let streams = [input ?? -1, output ?? -1, STDERR_FILENO]
        let code = withExtendedLifetime((words, environment)) {
            mc_spawn_confined(&id, path, words.pointers, environment.pointers, streams, folder, &limits)
        }
        guard code == 0 else { throw failure(path, code) }
        return ChildProcess(id: id, leadsGroup: true)
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(.failed, "can't start \(path): \(String(cString: strerror(code)))")
    }

    /// Kills the program, and where it leads a process group the whole group.
    func kill() {
        if leadsGroup { mc_end_group(id) } else { send(SIGKILL) }
    }

    /// Kills the program, unless its end has been waited for, and waits for it.
    func killAndWait() {
        kill()
        _ = status()
    }

    private func send(_ signal: Int32) {
        #if canImport(Glibc)
            Glibc.kill(id, signal)
        #elseif canImport(Musl)
            Musl.kill(id, signal)
        #else
            Darwin.kill(id, signal)
        #endif
    }

    /// Waits for the program's end; a signal that comes here meanwhile goes to it.
    ///
    /// - Returns: its exit code, or 128 and the signal's number that ended it.
    func wait(forwardingTo interruption: Interruption) async throws -> Int32 {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let number = await interruption.wait() else { return }
                // At a terminal Ctrl-C has reached the player already; a second one would hurry it.
                if number != SIGINT || isatty(STDIN_FILENO) == 0 { send(number) }
            }
            defer { group.cancelAll() }
            return try await BlockingWork.run { status() }
        }
    }

    /// Waits for the program's end; where the task is cancelled, ends it. What it made isn't wanted then: an encoder that was
    /// asked to end would finish its file first.
    ///
    /// - Returns: its exit code, or 128 and the signal's number that ended it.
    func wait() async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await BlockingWork.run { status() }
        } onCancel: {
            kill()
        }
    }

    private func status() -> Int32 {
        var status: Int32 = 0
        if leadsGroup {
            guard mc_wait_group(id, &status) == 0 else { return 1 }
        } else {
            while waitpid(id, &status, 0) < 0 {
                guard errno == EINTR else { return 1 }
            }
        }
        // What the macros WIFEXITED, WEXITSTATUS and WTERMSIG do.
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

/// Strings as C takes lists of arguments and of environment variables.
private final class CStrings {
    /// The strings, and nil behind the last.
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }

    convenience init(_ environment: [String: String]) {
        self.init(environment.map { "\($0.key)=\($0.value)" })
    }

    deinit { for pointer in pointers { free(pointer) } }
}

/// Kills a child process when its time is over.
final class ChildDeadline: Sendable {
    private let state: Mutex<(isOver: Bool, isEnded: Bool)>
    private let child: ChildProcess

    /// Starts the clock.
    init(_ limit: Duration, of child: ChildProcess) {
        self.child = child
        state = Mutex((false, false))
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + seconds) { [weak self] in self?.strike()
        }
    }

    /// Stops the clock.
    ///
    /// - Returns: whether the time was over before.
    func end() -> Bool {
        state.withLock { state in
            state.isEnded = true
            return state.isOver
        }
    }

    private func strike() {
        let kills = state.withLock { state in
            guard !state.isEnded else { return false }
            state.isOver = true
            return true
        }
        if kills { child.kill() }
    }
}
