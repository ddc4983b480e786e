import MediaLibrary

/// A rate in bytes per second: `600KB/s` or `600KB`.
struct ByteRate: Sendable, Hashable {
    /// The rate, at least 1.
    var bytesPerSecond: Int64

    init(bytesPerSecond: Int64) {
        self.bytesPerSecond = bytesPerSecond
    }

    init(parsing text: String) throws {
        let amount = text.lowercased().hasSuffix("/s") ? String(text.dropLast(2)) : text
        bytesPerSecond = try ByteCount(parsing: amount).bytes
        guard bytesPerSecond > 0 else { throw ArgumentTextError("the rate must be more than 0, such as 600KB/s") }
    }
}
