/// Bytes per second as a person writes them: `600KB/s`, or `600KB`.
struct ByteRate: Sendable, Hashable {
    /// The rate; at least 1.
    var bytesPerSecond: Int64

    /// A rate.
    init(bytesPerSecond: Int64) {
        self.bytesPerSecond = bytesPerSecond
    }

    /// Reads an amount of bytes, with `/s` after it or not.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        let amount = text.lowercased().hasSuffix("/s") ? String(text.dropLast(2)) : text
        bytesPerSecond = try ByteCount(parsing: amount).bytes
        guard bytesPerSecond > 0 else { throw ArgumentTextError("a rate of 0 would never end; write it as 600KB/s") }
    }
}
