import MediaLibrary

/// Segments that were inflated, for those who read them at the same time or in several ranges.
final class SegmentInflations: Sendable {
    private let known = SharedResults<[UInt8]?>(most: 16, largestCost: 64 << 20) { Int64($0?.count ?? 0) }
    /// Each holds a segment twice.
    private let turnstile = Turnstile(mostAtOnce: 2, mostWaiting: 64)

    /// The segment inflated; nil where it isn't compressed after all.
    ///
    /// - Parameter contents: reads it as it came.
    /// - Throws: what `contents` throws, and `ContainerError`.
    func segment(
        _ name: String, isEncrypted: Bool, _ contents: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> [UInt8]? {
        try await known.value(for: name) { [turnstile] in
            try await turnstile.pass {
                let bytes = try await contents()
                return try await BlockingWork.run { try SegmentInflation.inflated(bytes, isEncrypted: isEncrypted) }
            }
        }
    }
}
