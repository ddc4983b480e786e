#if os(Linux)
    import Foundation
    import Testing

    @testable import MediaCache

    /// Tests of files of the operating system.
    struct POSIXFileTests {
        @Test func returnsDescriptorForBytesInMemory() throws {
            let path = FileManager.default.temporaryDirectory.appending(path: "file-\(UUID())").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let file = try POSIXFileSystem().open(path, creating: true)
            let bytes = [UInt8](repeating: 7, count: 300_000)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            let descriptor = try #require(file.descriptor(forSending: 0..<300_000))
            var first: UInt8 = 0
            #expect(pread(descriptor, &first, 1, 299_999) == 1 && first == 7)
            // No descriptor is returned for a range beyond the end or for an empty range.
            #expect(file.descriptor(forSending: 0..<300_001) == nil)
            #expect(file.descriptor(forSending: 300_000..<300_001) == nil)
            #expect(file.descriptor(forSending: 5..<5) == nil)
        }

        @Test(arguments: [1, 20])
        func syncsFilesAndFolders(_ count: Int) throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID())").path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let system = POSIXFileSystem()
            let paths = (0..<count).map { "\(folder)/\($0)/file" }
            let files = try paths.map { path in
                try system.makeFolder(POSIXFileSystem.parent(of: path))
                let file = try system.open(path, creating: true)
                try [UInt8](repeating: 1, count: 1000).withUnsafeBytes { try file.write($0, at: 0) }
                return file
            }
            let failures = system.sync(files, folders: Set(paths.map(POSIXFileSystem.parent)))
            #expect(failures.files.isEmpty && failures.folders.isEmpty)
        }

        /// `/proc` can't be synced as a whole, so each of its folders is synced, which fails.
        @Test func reportsFoldersThatCannotBeSynced() throws {
            let folders = (0..<20).map { "/proc/missing-\($0)" }
            let failures = POSIXFileSystem().sync([], folders: Set(folders))
            #expect(failures.files.isEmpty && Set(failures.folders.keys) == Set(folders))
            #expect(throws: SystemError.self) { try failures.check() }
        }
    }
#endif
