import Foundation
import MediaLibrary

/// The output of a program.
enum ProgramOutput {
    /// Returns the first line; nil without output. Cancelling the task kills the program.
    ///
    /// - Throws: ``CommandFailure`` if the program can't be started.
    static func firstLine(of path: String, _ arguments: [String]) async throws -> String? {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        let child = try ChildProcess.start(path, arguments, output: writing.fileDescriptor)
        // The reader sees the end of the output only after all writing descriptors are closed.
        try? writing.close()
        async let code = child.wait()
        let data = try await BlockingOperation.run { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        _ = try await code
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
