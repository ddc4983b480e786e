import CMediaCacheShims

/// The limits of a child process that reads untrusted data.
struct Confinement: Sendable, Hashable {
    /// The longest time that it runs; its process group is killed then.
    var deadline: Duration
    /// The most processor time, in seconds, of all its threads together.
    var processorSeconds: Int
    /// The size of the largest file that it can write, in bytes.
    var fileBytes: Int64
    /// The most address space, in bytes.
    var memoryBytes: Int64
    /// The most open descriptors.
    var openFiles = 64
    /// Whether it runs with the lowest priority.
    var isBackground = false

    /// The limits as the system calls take them.
    var systemLimits: mc_confinement {
        mc_confinement(
            cpu_seconds: UInt64(max(1, processorSeconds)), file_bytes: UInt64(max(1, fileBytes)),
            memory_bytes: UInt64(max(1, memoryBytes)), open_files: UInt64(max(16, openFiles)),
            is_background: isBackground ? 1 : 0)
    }
}

extension Confinement {
    /// The limits for one picture out of a film.
    static let frame = Confinement(
        deadline: .seconds(60), processorSeconds: 60, fileBytes: 64 << 20, memoryBytes: 4 << 30)

    /// The limits for one picture out of a film whose bytes come from an origin while it's decoded.
    static let streamedFrame = Confinement(
        deadline: .seconds(600), processorSeconds: 120, fileBytes: 64 << 20, memoryBytes: 4 << 30)

    /// The limits for encoding a film: an hour, and 30 times the film's duration.
    ///
    /// - Parameters:
    ///   - seconds: the film's duration.
    ///   - bytes: the film's size.
    static func encoding(lasting seconds: Double, bytes: Int64, isBackground: Bool) -> Confinement {
        let longest = 3600 + Int(min(max(seconds, 0), 30 * 86_400) * 30)
        return Confinement(
            deadline: .seconds(longest), processorSeconds: longest * 16,
            fileBytes: (4 << 30) + 16 * min(max(bytes, 0), 1 << 44), memoryBytes: 16 << 30, isBackground: isBackground)
    }
}
