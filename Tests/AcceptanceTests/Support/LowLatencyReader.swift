import Foundation
import HLS

/// A client of low-latency streams that doesn't decode (RFC 8216bis §6.3 and §6.2.5). It requests blocking reloads,
/// delta updates, each part when it is announced, and the hinted part before it is available.
struct LowLatencyReader: Sendable {
    struct Place: Hashable, Comparable {
        var segment: Int
        var part: Int

        static func < (a: Place, b: Place) -> Bool { (a.segment, a.part) < (b.segment, b.part) }
    }

    struct Reading: Sendable {
        var parts: [Place: Data] = [:]
        var reloads = 0
        var deltaUpdates = 0
        var hints = 0
    }

    let url: URL

    /// Reads from the live edge to the end. Blocks the thread.
    func read() throws -> Reading {
        var reading = Reading()
        let connection = try HTTPConnection(to: url)
        guard case .media(var known) = try PlaylistParser().parse(try get(url.absoluteString, connection)).playlist
        else { throw HarnessError("\(url) isn't a media playlist") }
        guard known.serverControl?.canBlockReload == true else {
            throw HarnessError("\(url) doesn't support blocking reloads")
        }
        while !known.hasEndList {
            let hint = startHint(of: known)
            let reload = known.nextDirectives().applied(to: url.absoluteString)
            let update = try PlaylistParser().parse(try get(reload, connection)).playlist
            guard case .media(let media) = update else { throw HarnessError("\(reload) isn't a media playlist") }
            reading.reloads += 1
            if media.skip != nil { reading.deltaUpdates += 1 }
            let merged = try known.reloaded(with: media)
            guard merged.outcome == .updated else {
                throw HarnessError("\(reload) returned no update: \(merged.outcome)")
            }
            for new in merged.newParts {
                let place = Place(segment: new.mediaSequence, part: new.index)
                if let hint, hint.uri == new.part.uri {
                    reading.parts[place] = try hint.body()
                    reading.hints += 1
                } else {
                    reading.parts[place] = try part(new.part, connection)
                }
            }
            known = merged.playlist
        }
        return reading
    }

    private func part(_ part: PartialSegment, _ connection: HTTPConnection) throws -> Data {
        let range = part.byteRange.map { range in (range.offset ?? 0)..<(range.offset ?? 0) + range.length }
        return Data(try get(URLReference.resolve(part.uri, against: url.absoluteString), connection, range))
    }

    private func get(_ text: String, _ connection: HTTPConnection, _ range: Range<Int>? = nil) throws -> [UInt8] {
        guard let url = URL(string: text) else { throw HarnessError("invalid URL: \(text)") }
        let head = try connection.request(url, range: range)
        let body = try connection.body()
        guard head.status == (range == nil ? 200 : 206) else { throw HarnessError("\(text): \(head.status)") }
        return [UInt8](body)
    }

    // MARK: - Hints

    /// A request for a hinted part. Unchecked because the semaphore orders the accesses to `result`.
    private final class Hint: @unchecked Sendable {
        let uri: String
        private let arrived = DispatchSemaphore(value: 0)
        private var result: Result<Data, any Error>?

        init(uri: String, load: @escaping @Sendable () throws -> Data) {
            self.uri = uri
            Thread.detachNewThread { [self] in
                result = Result(catching: load)
                arrived.signal()
            }
        }

        func body() throws -> Data {
            guard arrived.wait(timeout: .now() + 30) == .success, let result else {
                throw HarnessError("the hinted part \(uri) wasn't received")
            }
            return try result.get()
        }
    }

    /// Requests the hinted part if it is a separate resource.
    private func startHint(of playlist: MediaPlaylist) -> Hint? {
        guard let hint = playlist.preloadHints.first(where: { $0.type == "PART" && $0.byteRangeStart == nil }) else {
            return nil
        }
        let part = PartialSegment(uri: hint.uri, duration: .zero)
        return Hint(uri: hint.uri) { try self.part(part, try HTTPConnection(to: url)) }
    }
}
