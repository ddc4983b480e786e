import CMediaCacheSpawn
import Dispatch
import Foundation
import MediaLibrary
import Synchronization

/// A child process: a program of the user's session, which shares the terminal, or a confined program, which reads
/// untrusted data.
///
/// On Linux, Foundation's `Process` puts each child into a separate process group, where a player can't read keys from
/// the terminal.
struct ChildProcess: Sendable, Hashable {
    let id: pid_t
    /// Whether the process leads a process group, which is killed with it.
    private(set) var isGroupLeader = false

    /// Starts a program that belongs to the user's session. It inherits this process's standard streams, working
    /// directory and network, and its environment except for the settings of `mediacache`.
    ///
    /// - Parameter output: The descriptor that becomes its standard output; nil for this process's.
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
        // A child that inherits a server's sockets would keep its port in use and its connections open.
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
        // Children inherit ignored signals. Without the defaults, a player couldn't be interrupted. After `nohup`,
        // SIGHUP stays ignored, so that the player outlives the terminal as well.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGTERM, SIGPIPE] + (HangUps.areIgnored ? [] : [SIGHUP]) {
            sigaddset(&defaults, number)
        }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Children inherit the blocked signals of the thread that runs this task.
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

    /// Starts a program that reads untrusted data, or that needs nothing of this process. It runs in a separate process
    /// group and within limits, with a minimal environment and no descriptors except its standard streams.
    /// ``ChildDeadline`` enforces its deadline.
    ///
    /// - Parameters:
    ///   - folder: The working directory and folder for temporary files; nil for this process's.
    ///   - input: The descriptor that becomes its standard input; nil for `/dev/null`.
    ///   - output: The descriptor that becomes its standard output; nil for `/dev/null`.
    ///   - reportsErrors: Whether its standard error is that of this process. Otherwise it's `/dev/null`.
    static func startConfined(
        _ path: String, _ arguments: [String], within confinement: Confinement, in folder: String? = nil,
        input: Int32? = nil, output: Int32? = nil, reportsErrors: Bool = true
    ) throws -> ChildProcess {
        let words = CStrings([path] + arguments)
        let environment = CStrings(ChildEnvironment.confined(temporary: folder))
        var limits = confinement.systemLimits
        var id: pid_t = 0
        let streams = [input ?? -1, output ?? -1, reportsErrors ? STDERR_FILENO : -1]
        let code = withExtendedLifetime((words, environment)) {
            mc_spawn_confined(&id, path, words.pointers, environment.pointers, streams, folder, &limits)
        }
        guard code == 0 else { throw failure(path, code) }
        return ChildProcess(id: id, isGroupLeader: true)
    }

    private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(.failed, "can't start \(path): \(String(cString: strerror(code)))")
    }

    /// Kills the process and the group that it leads.
    func kill() {
        if isGroupLeader { mc_end_group(id) } else { send(SIGKILL, to: id) }
    }

    func killAndWait() {
        kill()
        _ = status()
    }

    /// Waits until the process exits, and forwards the first signal to it.
    ///
    /// - Returns: The exit code, or 128 plus the number of the signal that ended the process; 1 if it's unknown.
    func wait(forwardingTo interruption: Interruption) async throws -> Int32 {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let number = await interruption.wait() else { return }
                // On a terminal, Ctrl-C reaches the player directly; a second signal would kill it.
                if number != SIGINT || isatty(STDIN_FILENO) == 0 { send(number, to: id) }
            }
            defer { group.cancelAll() }
            return try await BlockingOperation.run { status() }
        }
    }

    /// Waits until the process exits, and returns as ``wait(forwardingTo:)``. Cancelling the task kills the process,
    /// since an encoder would first finish its file after a termination signal.
    func wait() async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await BlockingOperation.run { status() }
        } onCancel: {
            kill()
        }
    }

    private func status() -> Int32 {
        var status: Int32 = 0
        if isGroupLeader {
            guard mc_wait_group(id, &status) == 0 else { return 1 }
        } else {
            while waitpid(id, &status, 0) < 0 {
                guard errno == EINTR else { return 1 }
            }
        }
        // WIFEXITED, WEXITSTATUS and WTERMSIG are macros.
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}

// Outside the type, whose method hides the system's `kill`.
private func send(_ signal: Int32, to process: pid_t) { _ = kill(process, signal) }

/// A null-terminated list of C strings.
private final class CStrings {
    /// The strings, followed by nil.
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) { pointers = strings.map { strdup($0) } + [nil] }

    convenience init(_ environment: [String: String]) {
        self.init(environment.map { "\($0.key)=\($0.value)" })
    }

    deinit { for pointer in pointers { free(pointer) } }
}

/// The deadline of a child process, after which it's killed.
final class ChildDeadline: Sendable {
    private let state: Mutex<(isOver: Bool, isEnded: Bool)>
    private let child: ChildProcess

    init(_ limit: Duration, of child: ChildProcess) {
        self.child = child
        state = Mutex((false, false))
        let time = DispatchTime.now() + limit / .seconds(1)
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: time) { [weak self] in self?.expire() }
    }

    /// Cancels the deadline, and returns whether it has passed.
    func end() -> Bool {
        state.withLock { state in
            state.isEnded = true
            return state.isOver
        }
    }

    private func expire() {
        let kills = state.withLock { state in
            guard !state.isEnded else { return false }
            state.isOver = true
            return true
        }
        if kills { child.kill() }
    }
}
