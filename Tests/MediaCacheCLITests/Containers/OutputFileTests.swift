import Foundation
import MediaContainers
import Testing

@testable import MediaCacheCLI

struct OutputFileTests {
    private func write(_ text: String, to file: OutputFile) throws {
        let bytes = Array(text.utf8)
        try bytes.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in try file.write(buffer) }
    }

    @Test func nothingIsThereBeforeItIsWhole() throws {
        try withTemporaryFolder { folder in
            let file = try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: false))
            try write("one", to: file)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/a.mp4"))
            try write("two", to: file)
            try file.place()
            #expect(try String(contentsOfFile: "\(folder)/a.mp4", encoding: .utf8) == "onetwo")
        }
    }

    @Test func whatIsGivenUpLeavesNothing() throws {
        try withTemporaryFolder { folder in
            do {
                let file = try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: false))
                try write("one", to: file)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test func afterwardsOnlyTheFileIsThere() throws {
        try withTemporaryFolder { folder in
            do {
                let file = try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: false))
                try write("one", to: file)
                try file.place()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.mp4"])
        }
    }

    @Test func whatIsThereStaysUnlessTold() throws {
        try withTemporaryFolder { folder in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder)/a.mp4"))
            let failure = #expect(throws: CommandFailure.self) {
                try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: false))
            }
            #expect(failure?.message.contains("--force") == true)
            let file = try OutputFile(OutputTarget(path: "\(folder)/a.mp4", overwrites: true))
            try write("other", to: file)
            #expect(try String(contentsOfFile: "\(folder)/a.mp4", encoding: .utf8) == "mine")
            try file.place()
            #expect(try String(contentsOfFile: "\(folder)/a.mp4", encoding: .utf8) == "other")
        }
    }
}
