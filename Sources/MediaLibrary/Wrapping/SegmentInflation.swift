internal import MediaCache
package import MediaContainers

/// Media segments that an origin stores compressed: inflated in memory, within bounds.
package enum SegmentInflation {
    /// The largest segment, compressed or not, in bytes.
    package static let largest = 64 << 20

    /// The segment; nil for one that is encrypted and only begins as if it were compressed.
    ///
    /// - Throws: `ContainerError` with `malformed` for what is damaged, or too large.
    package static func inflated(_ bytes: [UInt8], isEncrypted: Bool) throws(ContainerError) -> [UInt8]? {
        do {
            return try Inflater.inflate(bytes, limit: largest)
        } catch {
            if isEncrypted { return nil }
            let what = (error as? CacheError)?.message ?? "\(error)"
            throw ContainerError(.malformed, "the segment is stored compressed, and \(what)", cause: error)
        }
    }
}
