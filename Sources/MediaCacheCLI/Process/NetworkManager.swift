import Foundation
import MediaLibrary

/// NetworkManager's knowledge of whether the network is metered, read from the system bus by the program `busctl`.
struct NetworkManager: MeteredNetworkSource {
    /// The limits of `busctl`, which waits for NetworkManager's answer.
    private static let limits = Confinement(
        deadline: .seconds(2), processorSeconds: 2, fileBytes: 1 << 20, memoryBytes: 1 << 30)
    /// The maximum length of the output in bytes.
    private static let maximumOutput = 64

    /// The path of `busctl`.
    private let program: String
    private let limits: Confinement

    /// Returns nil if `busctl` isn't in `$PATH`.
    init?() {
        guard let program = InstalledProgram.path(of: "busctl") else { return nil }
        self.init(program: program)
    }

    /// - Parameter deadline: The time after which the program is killed; nil for the default.
    init(program: String, deadline: Duration? = nil) {
        self.program = program
        var limits = Self.limits
        limits.deadline = deadline ?? limits.deadline
        self.limits = limits
    }

    /// Returns whether the network with the default route is metered, which NetworkManager may have guessed; nil if it
    /// doesn't run, doesn't respond within two seconds, or doesn't know.
    func isMetered() async -> Bool? {
        // The type of the property and its value, an NMMetered: 0 is unknown, 1 yes, 2 no, 3 probably, 4 probably not.
        switch try? await output() {
        case "u 1", "u 3": true
        case "u 2", "u 4": false
        default: nil
        }
    }

    /// Returns the output of `busctl` without white space at its ends; nil after a failure.
    private func output() async throws -> String? {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        // Other child processes must not inherit an end of the pipe.
        for handle in [pipe.fileHandleForReading, writing] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        let service = "org.freedesktop.NetworkManager"
        let child = try ChildProcess.startConfined(
            program, ["--system", "get-property", service, "/org/freedesktop/NetworkManager", service, "Metered"],
            within: limits, output: writing.fileDescriptor, reportsErrors: false)
        let deadline = ChildDeadline(limits.deadline, of: child)
        try? writing.close()
        let code = try await child.wait()
        guard !deadline.end(), code == 0 else { return nil }
        // The output fits into the pipe, and the wait has ended all processes that had it open.
        let data = try pipe.fileHandleForReading.read(upToCount: Self.maximumOutput) ?? Data()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
