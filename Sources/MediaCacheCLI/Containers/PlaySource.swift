import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// The bytes of a resource, read through the cache by ranges as they are wanted: what is kept comes from there.
///
/// For work on a thread of its own; it waits there.
final class PlaySource: MediaContainers.ByteSource {
    /// The most that is taken of what has no length, and so no parts.
    private static let largestWhole = 256 << 20

    /// The media type.
    let contentType: String
    private let source: WindowedSource

    /// Reads the first bytes, which tell the length.
    ///
    /// - Parameter start: where reading will begin.
    /// - Throws: `ContainerError` with `inputOutput`, whose cause is what ``APIClient/media(at:range:limit:)`` threw.
    init(
        _ playURL: String, from start: Int64 = 0, client: APIClient, control: WorkControl,
        progress: WorkProgress? = nil
    ) throws(ContainerError) {
        let range = start..<start.clampedSum(Int64(SegmentFormat.probeLength))
        let first = try Self.part(at: playURL, range, client: client, limit: Self.largestWhole, control)
        guard let length = first.completeLength else {
            throw ContainerError(
                .inputOutput, "its origin doesn't say how long it is", advice: "`get` all of it first, then try again")
        }
        contentType = first.contentType
        source = WindowedSource(
            length: length, window: first.bytes, at: first.offset
        ) { (range) throws(ContainerError) in
            let limit = Int(range.upperBound - range.lowerBound)
            let part = try Self.part(at: playURL, range, client: client, limit: limit, control)
            guard part.entityTag == first.entityTag, part.offset == range.lowerBound else {
                throw ContainerError(.inputOutput, "the resource changed while it was read", at: range.lowerBound)
            }
            progress?.note(Int64(part.bytes.count))
            return part.bytes
        }
    }

    /// The length of the resource in bytes.
    var length: Int64 { source.length }

    /// Reads through the cache; see `ByteSource`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try source.read(at: offset, into: buffer)
    }

    private static func part(
        at playURL: String, _ range: Range<Int64>, client: APIClient, limit: Int, _ control: WorkControl
    ) throws(ContainerError) -> MediaPart {
        do {
            return try control.wait { try await client.media(at: playURL, range: range, limit: limit) }
        } catch {
            throw ContainerError(.inputOutput, "the cache can't read it", at: range.lowerBound, cause: error)
        }
    }
}
