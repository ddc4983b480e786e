import Foundation
import Testing

/// A command that runs during a test. It replaces Foundation's `Process`, which on Linux reads beyond a directory entry
/// when it lists open descriptors, and AddressSanitizer reports that.
final class SpawnedProcess {
    private let processID: pid_t
    private let outputDescriptor: Int32
    private var hasEnded = false

    init(_ path: String, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        outputDescriptor = ends[0]
        #if canImport(Glibc)
            var actions = posix_spawn_file_actions_t()
        #else
            var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        defer {
            posix_spawn_file_actions_destroy(&actions)
            close(ends[1])
        }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var spawned: pid_t = 0
        let status = posix_spawn(&spawned, path, &actions, nil, &words, environ)
        try #require(status == 0, "posix_spawn of \(path): \(status)")
        processID = spawned
    }

    deinit {
        killAndWait()
        close(outputDescriptor)
    }

    /// Returns the first `count` bytes of the output, or fewer if it ends early.
    func output(count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                read(outputDescriptor, $0.baseAddress?.advanced(by: filled), count - filled)
            }
            guard got > 0 else { break }
            filled += got
        }
        return String(decoding: bytes.prefix(filled), as: UTF8.self)
    }

    func killAndWait() {
        guard !hasEnded else { return }
        hasEnded = true
        kill(processID, SIGKILL)
        var status: Int32 = 0
        while waitpid(processID, &status, 0) == -1, errno == EINTR {}
    }
}
