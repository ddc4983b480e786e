import CMediaCacheSpawn

/// The limits of a child process that reads untrusted data.
struct Confinement: Sendable, Hashable {
    /// The maximum running time, after which its process group is killed.
    var deadline: Duration
    /// The maximum processor time of all threads, in seconds.
    var processorSeconds: Int
    /// The maximum size of a file that it writes, in bytes.
    var fileBytes: Int64
    /// The maximum address space, in bytes.
    var memoryBytes: Int64
    /// The maximum number of open descriptors.
    var openFiles = 64
    /// Whether the process runs with the lowest priority.
    var isBackground = false

    var systemLimits: mc_confinement {
        mc_confinement(
            cpu_seconds: UInt64(max(1, processorSeconds)), file_bytes: UInt64(max(1, fileBytes)),
            memory_bytes: UInt64(max(1, memoryBytes)), open_files: UInt64(max(16, openFiles)),
            is_background: isBackground ? 1 : 0)
    }
}

extension Confinement {
    static let frame = Confinement(
        deadline: .seconds(60), processorSeconds: 60, fileBytes: 64 << 20, memoryBytes: 4 << 30)

    /// The limits for decoding a frame while the film is received from its origin.
    static let streamedFrame = Confinement(
        deadline: .seconds(600), processorSeconds: 120, fileBytes: 64 << 20, memoryBytes: 4 << 30)

    /// Returns the limits for encoding a film of the given duration in seconds and size in bytes.
    static func encoding(duration seconds: Double, bytes: Int64, isBackground: Bool) -> Confinement {
        let limit = 3600 + Int(min(max(seconds, 0), 30 * 86_400) * 30)
        return Confinement(
            deadline: .seconds(limit), processorSeconds: limit * 16,
            fileBytes: (4 << 30) + 16 * min(max(bytes, 0), 1 << 44), memoryBytes: 16 << 30, isBackground: isBackground)
    }
}
