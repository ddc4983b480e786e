import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

struct FileCopyTests {
    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    /// Copies the file `blob` in a folder.
    private func copy(
        in folder: String, to name: String = "film.mp4", overwrites: Bool = false
    ) throws -> FileCopy.Method {
        let target = OutputTarget(path: "\(folder)/\(name)", overwrites: overwrites)
        return try FileCopy(of: "\(folder)/blob", to: target).make()
    }

    @Test func sharesBytesWithinFileSystem() throws {
        try withTemporaryFolder { folder in
            try write("kept", "\(folder)/blob")
            let method = try copy(in: folder)
            #expect(method == .clone || method == .hardLink)
            #expect(try read("\(folder)/film.mp4") == "kept")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["blob", "film.mp4"])
        }
    }

    @Test func replacesExistingFileOnlyOnRequest() throws {
        try withTemporaryFolder { folder in
            try write("kept", "\(folder)/blob")
            try write("mine", "\(folder)/film.mp4")
            let error = #expect(throws: MediaJobError.self) { try copy(in: folder) }
            #expect(error?.code == .outputExists)
            #expect(try read("\(folder)/film.mp4") == "mine")
            // The second copy may replace another link to the same file.
            for _ in 0..<2 { _ = try copy(in: folder, overwrites: true) }
            for name in ["film.mp4", "blob"] { #expect(try read("\(folder)/\(name)") == "kept") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["blob", "film.mp4"])
        }
    }

    @Test func errorContainsPathInMissingFolder() throws {
        try withTemporaryFolder { folder in
            try write("kept", "\(folder)/blob")
            let error = #expect(throws: MediaJobError.self) { try copy(in: folder, to: "no/film.mp4") }
            #expect(error?.message.contains("\(folder)/no/film.mp4") == true)
        }
    }

    /// On Linux, /dev/shm is a separate file system.
    @Test(.enabled(if: try Prerequisite.isMet("/dev/shm", FileManager.default.isWritableFile(atPath: "/dev/shm"))))
    func copiesToAnotherFileSystem() throws {
        try withTemporaryFolder { folder in
            let text = String(repeating: "0123456789abcdef", count: 200_000)
            try write(text, "\(folder)/blob")
            let target = "/dev/shm/mediacache-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: target) }
            let method = try FileCopy(of: "\(folder)/blob", to: OutputTarget(path: target, overwrites: false)).make()
            #expect(method == .copy || method == .hardLink)
            #expect(try read(target) == text)
        }
    }
}
