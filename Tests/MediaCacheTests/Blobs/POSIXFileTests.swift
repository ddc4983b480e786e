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
    }
#endif
