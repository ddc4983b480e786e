import Foundation

/// A folder that is removed when the object is deallocated.
final class TestFolder: Sendable {
    /// The path, without a trailing slash.
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/mediacache-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates an executable script, and returns its path.
    ///
    /// Another process writes the file. The system starts no program that is open for writing, and children that other
    /// tests start at the same time could inherit this process's descriptor.
    func install(_ script: String, as name: String) throws -> String {
        let (text, program) = (file("\(name).txt"), file(name))
        try Data(script.utf8).write(to: URL(fileURLWithPath: text))
        let copy = Process()
        copy.executableURL = URL(fileURLWithPath: "/bin/sh")
        copy.arguments = ["-c", "cp \"$0\" \"$1\" && chmod 755 \"$1\"", text, program]
        try copy.run()
        copy.waitUntilExit()
        return program
    }
}
