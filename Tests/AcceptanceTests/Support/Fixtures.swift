import Foundation

/// Files for origins, created once in the build folder: clips encoded by ffmpeg, and seeded random bytes.
actor Fixtures {
    static let shared = Fixtures()

    /// The folder of the files, for an origin.
    static let folder = MediaCacheBinary.buildFolder + "/acceptance-fixtures"

    static let moovFirst = "moov-first.mp4"
    static let moovLast = "moov-last.mp4"
    static let big = "random-1GiB.bin"
    static let large = "random-256MiB.bin"
    static let medium = "random-100MB.bin"

    private var clipsMade: Task<Void, any Error>?
    private var randomMade: [String: Task<MappedFile, any Error>] = [:]

    func clips() async throws {
        let task =
            clipsMade
            ?? Task {
                try await Self.make(Self.moovFirst) { path in
                    try await Peer.run(
                        "ffmpeg",
                        ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25", "-f", "lavfi", "-i"]
                            + ["sine=440:r=48000", "-t", "40", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "2M"]
                            + ["-g", "50", "-pix_fmt", "yuv420p", "-threads", "1", "-c:a", "aac"]
                            + ["-movflags", "+faststart", path])
                }
                try await Self.make(Self.moovLast) { path in
                    try await Peer.run(
                        "ffmpeg",
                        ["-v", "error", "-y", "-i", "\(Self.folder)/\(Self.moovFirst)", "-c", "copy", path])
                }
            }
        clipsMade = task
        try await task.value
    }

    /// Returns a file of random bytes, and creates it if necessary.
    func random(_ name: String) async throws -> MappedFile {
        let bytes = [Self.big: 1 << 30, Self.large: 256 << 20][name] ?? 100_000_000
        let task =
            randomMade[name]
            ?? Task {
                try await Self.make(name) { path in
                    try await onThread { try RandomFile.write(bytes: bytes, seed: UInt64(bytes), to: path) }
                }
                return try MappedFile("\(Self.folder)/\(name)")
            }
        randomMade[name] = task
        return try await task.value
    }

    /// Creates a file under a temporary name and renames it, so that an aborted run leaves no partial file.
    private static func make(_ name: String, _ write: (String) async throws -> Void) async throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard !files.fileExists(atPath: "\(folder)/\(name)") else { return }
        let draft = "\(folder)/.\(ProcessInfo.processInfo.processIdentifier)-\(name)"
        defer { try? files.removeItem(atPath: draft) }
        try await write(draft)
        guard rename(draft, "\(folder)/\(name)") == 0 else { throw HarnessError("\(name) can't be renamed") }
    }
}
