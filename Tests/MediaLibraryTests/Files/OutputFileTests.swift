import Foundation
import MediaContainers
import Testing

@testable import MediaLibrary

struct OutputFileTests {
    private func write(_ text: String, to file: OutputFile) throws {
        let bytes = Array(text.utf8)
        try bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in try file.write(buffer) }
    }

    @Test func fileAppearsWhenComplete() throws {
        try withTemporaryFolder { folder in
            let file = try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: false))
            try write("one", to: file)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/a.mp4"))
            try write("two", to: file)
            try file.moveToTarget()
            #expect(try String(contentsOfFile: "\(folder)/a.mp4", encoding: .utf8) == "onetwo")
        }
    }

    @Test(arguments: [false, true]) func temporaryFileIsRemoved(isComplete: Bool) throws {
        try withTemporaryFolder { folder in
            do {
                let file = try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: false))
                try write("one", to: file)
                if isComplete { try file.moveToTarget() }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == (isComplete ? ["a.mp4"] : []))
        }
    }

    @Test func existingFileIsReplacedOnlyOnRequest() throws {
        try withTemporaryFolder { folder in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder)/a.mp4"))
            let error = #expect(throws: MediaJobError.self) {
                try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: false))
            }
            #expect(error?.code == .outputExists)
            let file = try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: true))
            try write("other", to: file)
            #expect(try String(contentsOfFile: "\(folder)/a.mp4", encoding: .utf8) == "mine")
            try file.moveToTarget()
            #expect(try String(contentsOfFile: "\(folder)/a.mp4", encoding: .utf8) == "other")
        }
    }
}
