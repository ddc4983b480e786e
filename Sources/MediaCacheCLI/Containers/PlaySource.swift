import MediaCache
import MediaCacheServer
import MediaContainers

/// The bytes of a resource, read through the cache by ranges as they are wanted: what is kept comes from there.
///
/// For work on a thread of its own; it waits there.
final class PlaySource: MediaContainers.ByteSource {
    /// What is asked for at once: little where a reader jumps about, more the longer it goes straight on.
    private static let shortest: Int64 = 32 << 10
    private static let longest: Int64 = 1 << 20
    /// The most that is taken of what has no length, and so no parts.
    private static let largestWhole = 256 << 20

    /// The length of the resource in bytes.
    let length: Int64
    /// The media type.
    let contentType: String
    private let client: APIClient
    private let playURL: String
    private let control: WorkControl
    private let progress: WorkProgress?
    private let entityTag: String?
    private var window: [UInt8]
    private var windowStart: Int64
    private var step = shortest

    /// Reads the first bytes, which tell the length.
    ///
    /// - Parameter start: where reading will begin.
    /// - Throws: `ContainerError` with `inputOutput`, whose cause is what ``APIClient/media(at:range:limit:)`` threw.
    init(
        _ playURL: String, from start: Int64 = 0, client: APIClient, control: WorkControl,
        progress: WorkProgress? = nil
    ) throws(ContainerError) {
        self.progress = progress
        self.playURL = playURL
        self.client = client
        self.control = control
        let range = start..<start + Int64(SegmentFormat.probeLength)
        let first = try Self.part(at: playURL, range, client: client, limit: Self.largestWhole, control)
        guard let length = first.completeLength else {
            throw ContainerError(
                .inputOutput, "its origin doesn't say how long it is", advice: "`get` all of it first, then try again")
        }
        self.length = length
        contentType = first.contentType
        entityTag = first.entityTag
        window = first.bytes
        windowStart = first.offset
    }

    /// Reads through the cache; see `ByteSource`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        var done = 0
        while done < buffer.count, offset + Int64(done) < length {
            let position = offset + Int64(done)
            let windowEnd = windowStart + Int64(window.count)
            guard position >= windowStart, position < windowEnd else {
                try fetch(position, needed: Int64(buffer.count - done))
                continue
            }
            let count = min(buffer.count - done, Int(windowEnd - position))
            let start = Int(position - windowStart)
            window.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
            }
            done += count
        }
        return done
    }

    private func fetch(_ position: Int64, needed: Int64) throws(ContainerError) {
        step = position == windowStart + Int64(window.count) ? min(step * 2, Self.longest) : Self.shortest
        let range = position..<min(length, position + max(step, needed))
        let limit = Int(range.upperBound - range.lowerBound)
        let part = try Self.part(at: playURL, range, client: client, limit: limit, control)
        guard part.entityTag == entityTag, part.offset == position, !part.bytes.isEmpty else {
            throw ContainerError(.inputOutput, "the resource changed while it was read", at: position)
        }
        window = part.bytes
        windowStart = position
        progress?.note(Int64(part.bytes.count))
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
