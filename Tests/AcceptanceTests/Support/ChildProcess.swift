import Foundation
import Synchronization

#if canImport(CMediaCacheSpawn)
    import CMediaCacheSpawn
#endif

/// A program started by a test or a benchmark, with its output, its exit code or signal, its running time, and its use
/// of memory and CPU time.
///
/// The pipes close on exec, so that concurrent children don't keep each other's pipes open.
final class ChildProcess: Sendable {
    enum Ending: Sendable, Hashable {
        case exit(Int32)
        case signal(Int32)
    }

    private struct State {
        var output = Data()
        var errors = Data()
        var openStreams = 2
        var ending: Ending?
        var endTime: ContinuousClock.Instant?
        var peakResidentBytes: Int?
        var cpuTime: Duration?
    }

    let processID: pid_t
    let name: String
    let startTime: ContinuousClock.Instant
    private let state: Mutex<State>

    private static let pollInterval: Duration = .milliseconds(2)

    /// Starts `executable` with `arguments`. `environment` is added to the environment of this process.
    init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        name = (executable as NSString).lastPathComponent
        let (outputEnd, outputStart) = try Self.makePipe()
        let (errorEnd, errorStart) = try Self.makePipe()

        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, outputStart, 1)
        posix_spawn_file_actions_adddup2(&actions, errorStart, 2)
        #if !canImport(Darwin) && canImport(CMediaCacheSpawn)
            // Closes the sockets of concurrent tests, because the child would keep their ports in use. The benchmarks
            // compile this file without that target.
            _ = mc_spawn_close_from(&actions, 3)
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A test runner started in the background ignores SIGINT, and its children must not inherit that.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP] { sigaddset(&defaults, signal) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var argumentList: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        var environmentList: [UnsafeMutablePointer<CChar>?] = merged.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in argumentList + environmentList { free(pointer) } }
        var child: pid_t = 0
        startTime = .now
        let result = posix_spawnp(&child, executable, &actions, &attributes, &argumentList, &environmentList)
        close(outputStart)
        close(errorStart)
        guard result == 0 else {
            close(outputEnd)
            close(errorEnd)
            throw HarnessError("\(executable) can't be started: \(String(cString: strerror(result)))")
        }
        processID = child
        state = Mutex(State())
        collect(outputEnd, isOutput: true)
        collect(errorEnd, isOutput: false)
        awaitEnd()
    }

    var output: Data { state.withLock { $0.output } }
    var outputText: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: state.withLock { $0.errors }, as: UTF8.self) }
    /// The way the process ended; nil while it runs.
    var ending: Ending? { state.withLock { $0.ending } }
    /// The running time; nil while the process runs.
    var elapsed: Duration? { state.withLock { $0.endTime.map { $0 - startTime } } }

    /// The peak of resident memory in bytes; nil while the process runs.
    var peakResidentBytes: Int? { state.withLock { $0.peakResidentBytes } }

    /// The CPU time in user and kernel mode; nil while the process runs.
    var cpuTime: Duration? { state.withLock { $0.cpuTime } }

    /// Sends a signal if the process is running.
    func signal(_ number: Int32) {
        state.withLock { state in
            if state.ending == nil { _ = kill(processID, number) }
        }
    }

    /// Waits for the process and its output to end. After `limit`, kills the process and throws an error.
    @discardableResult
    func end(within limit: Duration) async throws -> Ending {
        let deadline = ContinuousClock.now + limit
        while true {
            let ending = state.withLock { $0.openStreams == 0 ? $0.ending : nil }
            if let ending { return ending }
            guard ContinuousClock.now < deadline else {
                signal(SIGKILL)
                throw HarnessError(
                    "\(name) was still running after \(limit). Standard error: \(errorText.suffix(2000))")
            }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    /// Returns the value that `accept` returns for the first matching line of standard output. Throws an error after
    /// `limit`, and if the process ends without such a line.
    func line<T>(within limit: Duration, _ accept: (String) -> T?) async throws -> T {
        let deadline = ContinuousClock.now + limit
        while true {
            // Read before the output, which is complete if the process and its streams have ended.
            let ending = state.withLock { $0.openStreams == 0 ? $0.ending : nil }
            let lines = outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            for line in lines {
                if let value = accept(String(line)) { return value }
            }
            guard ending == nil, ContinuousClock.now < deadline else {
                let failure = ending.map { "ended (\($0))" } ?? "printed no expected line within \(limit)"
                signal(SIGKILL)
                throw HarnessError("\(name) \(failure). Output: \(outputText.suffix(2000)) \(errorText.suffix(2000))")
            }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    private static func makePipe() throws -> (end: Int32, start: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw HarnessError("a pipe can't be created: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private func collect(_ descriptor: Int32, isOutput: Bool) {
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { break }
                state.withLock { state in
                    if isOutput {
                        state.output.append(contentsOf: buffer[..<count])
                    } else {
                        state.errors.append(contentsOf: buffer[..<count])
                    }
                }
            }
            close(descriptor)
            state.withLock { $0.openStreams -= 1 }
        }
    }

    private func awaitEnd() {
        Thread.detachNewThread { [self] in
            // Reaps the zombie under the lock, so that `signal` never reaches another process that reuses the ID.
            var info = siginfo_t()
            while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
            let time = ContinuousClock.now
            state.withLock { state in
                var status: Int32 = 0
                var usage = rusage()
                while wait4(processID, &status, 0, &usage) < 0 && errno == EINTR {}
                #if canImport(Darwin)
                    state.peakResidentBytes = usage.ru_maxrss
                #else
                    // ru_maxrss is in KiB.
                    state.peakResidentBytes = usage.ru_maxrss << 10
                #endif
                state.cpuTime = [usage.ru_utime, usage.ru_stime].reduce(.zero) { sum, time in
                    sum + .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
                }
                let signal = status & 0x7f
                state.ending = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
                state.endTime = time
            }
        }
    }
}
