import Foundation
import MediaLibrary

/// What a program prints.
enum ProgramOutput {
    /// Its first line; nil if it prints none. Where the task is cancelled, the program is ended.
    ///
    /// - Throws: ``CommandFailure`` if it can't be started.
    static func firstLine(of path: String, _ arguments: [String]) async throws -> String? {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        let child = try ChildProcess.start(path, arguments, output: writing.fileDescriptor)
        // Else the end of what it prints never comes.
        try? writing.close()
        async let code = child.wait()
        let data = try await BlockingWork.run { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        _ = try await code
        return String(decoding: data, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
