import Foundation
import HLS

/// A player of low-latency streams, as far as loading goes (RFC 8216bis, sections 6.3 and 6.2.5): it asks for reloads
/// that block and for delta updates, for each part as it appears, and for the one that is hinted at before it's there.
struct LowLatencyReader: Sendable {
    /// A part's place in the stream.
    struct Place: Hashable, Comparable {
        var segment: Int
        var part: Int

        static func < (a: Place, b: Place) -> Bool { (a.segment, a.part) < (b.segment, b.part) }
    }

    /// What came of reading a stream to its end.
    struct Reading: Sendable {
        var parts: [Place: Data] = [:]
        var reloads = 0
        var deltaUpdates = 0
        var hints = 0
    }

    let url: URL

    /// Reads from the live edge to the end. Blocks.
    func read() throws -> Reading {
        var reading = Reading()
        let connection = try HTTPConnection(to: url)
        guard case .media(var known) = try PlaylistParser().parse(try get(url.absoluteString, connection)).playlist
        else { throw HarnessError("\(url) is no media playlist") }
        guard known.serverControl?.canBlockReload == true else { throw HarnessError("\(url) doesn't hold reloads") }
        while !known.hasEndList {
            let hint = startHint(of: known)
            let reload = known.nextDirectives().applied(to: url.absoluteString)
            let update = try PlaylistParser().parse(try get(reload, connection)).playlist
            guard case .media(let media) = update else { throw HarnessError("\(reload) is no media playlist") }
            reading.reloads += 1
            if media.skip != nil { reading.deltaUpdates += 1 }
            let merged = try known.reloaded(with: media)
            guard merged.outcome == .updated else { throw HarnessError("\(reload) brought nothing: \(merged.outcome)") }
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
        guard let url = URL(string: text) else { throw HarnessError("no URL: \(text)") }
        let head = try connection.request(url, range: range)
        let body = try connection.body()
        guard head.status == (range == nil ? 200 : 206) else { throw HarnessError("\(text): \(head.status)") }
        return [UInt8](body)
    }

    // MARK: - Hints

    /// A part that is asked for before it's there.
    private final class Hint: @unchecked Sendable {
        let uri: String
        private let arrived = DispatchSemaphore(value: 0)
        /// Set once, before the semaphore is.
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
                throw HarnessError("\(uri), a hint, didn't come")
            }
            return try result.get()
        }
    }

    /// Asks for the hinted part, if that is a resource of its own.
    private func startHint(of playlist: MediaPlaylist) -> Hint? {
        guard let hint = playlist.preloadHints.first(where: { $0.type == "PART" && $0.byteRangeStart == nil }) else {
            return nil
        }
        let part = PartialSegment(uri: hint.uri, duration: .zero)
        return Hint(uri: hint.uri) { try self.part(part, try HTTPConnection(to: url)) }
    }
}
