import Foundation

/// The files in a cache folder, for tests that damage them.
enum CacheFolder {
    static func blobs(in cache: String) throws -> [String] {
        try files(in: cache).filter { $0.hasSuffix(".bin") }
    }

    /// Returns the paths of the catalog's files: the database, its write-ahead log and the log's index.
    static func catalog(in cache: String) throws -> [String] {
        try files(in: cache).filter { ($0 as NSString).lastPathComponent.hasPrefix("catalog.sqlite") }
    }

    static func files(in cache: String) throws -> [String] {
        var isFolder: ObjCBool = false
        return try FileManager.default.subpathsOfDirectory(atPath: cache).sorted()
            .map { "\(cache)/\($0)" }
            .filter { FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue }
    }

    /// Flips one bit at each of `offsets`.
    static func flipBits(in path: String, at offsets: [Int]) throws {
        let handle = try opened(path)
        defer { try? handle.close() }
        for offset in offsets {
            try handle.seek(toOffset: UInt64(offset))
            guard let byte = try handle.read(upToCount: 1)?.first else {
                throw HarnessError("\(path) ends before \(offset)")
            }
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: Data([byte ^ 0x10]))
        }
    }

    static func truncate(_ path: String, to length: Int) throws {
        let handle = try opened(path)
        defer { try? handle.close() }
        try handle.truncate(atOffset: UInt64(length))
    }

    private static func opened(_ path: String) throws -> FileHandle {
        guard let handle = FileHandle(forUpdatingAtPath: path) else { throw HarnessError("\(path) can't be written") }
        return handle
    }
}
