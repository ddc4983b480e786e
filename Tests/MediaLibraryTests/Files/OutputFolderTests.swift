import Foundation
import Testing

@testable import MediaLibrary

struct OutputFolderTests {
    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func write(_ text: String, _ path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    @Test func folderAppearsWhenComplete() throws {
        try withTemporaryFolder { folder in
            let draft = try OutputFolder(path: "\(folder)/out/", overwrites: false).makeDraft()
            try draft.write(Array("new".utf8), to: "a.ts")
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/out"))
            try draft.moveToTarget()
            #expect(try names(in: folder) == ["out"] && names(in: "\(folder)/out") == ["a.ts"])
        }
    }

    /// The user creates the folder during an export, or a second export writes it.
    @Test(arguments: [(false, "notes.txt"), (false, BundleManifest.fileName), (true, "notes.txt")])
    func keepsFolderCreatedWhileDraftIsFilled(overwrites: Bool, name: String) throws {
        try withTemporaryFolder { folder in
            let draft = try OutputFolder(path: "\(folder)/out", overwrites: overwrites).makeDraft()
            try draft.write(Array("new".utf8), to: name)
            try write("mine", "\(folder)/out/\(name)")
            let error = #expect(throws: MediaJobError.self) { try draft.moveToTarget() }
            let code: MediaJobError.Code = overwrites ? .failed : .outputExists
            #expect(error?.code == code)
            draft.remove()
            #expect(try names(in: folder) == ["out"])
            #expect(try String(contentsOfFile: "\(folder)/out/\(name)", encoding: .utf8) == "mine")
        }
    }

    @Test func replacesBundleOnRequest() throws {
        try withTemporaryFolder { folder in
            try write("old", "\(folder)/out/\(BundleManifest.fileName)")
            try write("old", "\(folder)/out/video-1/0.ts")
            let draft = try OutputFolder(path: "\(folder)/out", overwrites: true).makeDraft()
            try draft.write(Array("new".utf8), to: BundleManifest.fileName)
            try draft.moveToTarget()
            #expect(try names(in: folder) == ["out"])
            #expect(try names(in: "\(folder)/out") == [BundleManifest.fileName])
        }
    }
}
