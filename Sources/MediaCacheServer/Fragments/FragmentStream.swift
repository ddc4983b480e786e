import MediaCache
import MediaCacheAPI
import MediaLibrary
import Synchronization

/// The playlist to which a ``FragmentFile`` belongs, and its surroundings in one of the server's trees.
struct FragmentStream: Sendable {
    /// The range of segments that a request needs.
    enum Need: Sendable, Hashable {
        /// The segments that overlap a time range on the stream's axis, in seconds, and follow the segment `after`.
        case range(from: Double?, to: Double?, after: Int?)
        /// The segment with this number.
        case segment(Int)
    }

    /// The request target of the playlist.
    var playlist: String
    /// The playlist's name in messages.
    var name: String
    /// Whether the playlist is a window of a recording, whose axis is the wall clock.
    var isRecording = false
    /// Whether loading the playlist may contact an origin, so that its last ``SegmentTable`` is reused.
    var isRemote = false
    /// The variables that the playlist may import.
    var variables: [String: String] = [:]
    /// Returns the opener of a request target in the tree.
    var open: @Sendable (_ target: String) throws -> any ReaderOpener
    /// Returns the URL of a file below a playlist for the client, given the request target of the playlist.
    var address: @Sendable (_ playlist: String, _ file: String, _ query: String) throws -> String
    /// Returns the request target of a shorter playlist with the needed segments, or the playlist itself.
    var narrowed: @Sendable (_ playlist: String, Need) async throws -> String = { playlist, _ in playlist }
}

extension FragmentStream {
    /// Creates the stream of a tree whose paths are those of the server. Its URLs are relative to that of the request.
    ///
    /// - Parameters:
    ///   - base: The path of the request.
    ///   - opener: Returns the opener of a path and a query in the tree.
    init(
        playlist: String, name: String, at base: String,
        open opener: @escaping @Sendable (_ path: String, _ query: String) throws -> any ReaderOpener
    ) {
        self.init(
            playlist: playlist, name: name,
            open: { target in
                let (path, query) = Self.split(target)
                return try opener(path, query)
            },
            address: { playlist, file, query in
                let (folder, window) = Self.split(playlist)
                let items = [window, query].filter { !$0.isEmpty }.joined(separator: "&")
                return RelativePath.from(base, to: "\(folder)/\(file)") + (items.isEmpty ? "" : "?\(items)")
            })
    }

    /// Splits a request target into its path and its query.
    static func split(_ target: String) -> (path: String, query: String) {
        guard let mark = target.firstIndex(of: "?") else { return (target, "") }
        return (String(target[..<mark]), String(target[target.index(after: mark)...]))
    }

    /// Makes the playlist a window of a recording. Only its needed part is read.
    mutating func adopt(_ recording: Recording) {
        isRecording = true
        narrowed = { playlist, need in
            var folders = Self.split(playlist).path.split(separator: "/", omittingEmptySubsequences: false)
            guard let file = folders.popLast().map(String.init), let track = folders.last.map(String.init) else {
                return playlist
            }
            var span: (from: Int64, to: Int64?)
            switch need {
            case .segment(let number):
                guard let found = try await recording.span(ofSegment: Int64(number), track: track) else {
                    throw CacheError(.notFound, "the segment \(number) was removed from the recording")
                }
                span = (found.lowerBound, found.upperBound)
            case .range(let from, let to, let after):
                guard case .span(let first, let last)? = WindowRequest(granted: file) else { return playlist }
                span = (first, to.map { min(Self.nanoseconds($0), last ?? .max) } ?? last)
                if let from { span.from = max(span.from, Self.nanoseconds(from)) }
                // The segment may have been removed since the client received its number.
                if let after, let found = try await recording.span(ofSegment: Int64(after), track: track) {
                    span.from = max(span.from, found.lowerBound)
                }
                guard span.from < span.to ?? .max else { return playlist }
            }
            return (folders + [WindowRequest.name(from: span.from, to: span.to)[...]]).joined(separator: "/")
        }
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64(min(max(0, seconds), 9e9) * 1e9) }
}

/// The limit of conversions, and the segments of recently loaded remote playlists.
final class FragmentService: Sendable {
    /// The maximum numbers of conversions at the same time. Each occupies a thread while it waits for its segment, and
    /// has one segment in memory. Those that may wait for an origin don't delay others.
    private let limits = (
        local: ConcurrencyLimit(4, maximumWaiting: 128), remote: ConcurrencyLimit(4, maximumWaiting: 128)
    )
    /// The limit of the fragments that are being sent, whose clients may be slow.
    let memory: MemoryLimit
    /// The maximum number of segments in ``tables``, unless there is only one table.
    private static let capacity = 200_000
    /// The tables of remote playlists, in the order in which they were read.
    private let tables = Mutex<[(playlist: String, table: SegmentTable)]>([])

    init(memory: MemoryLimit = MemoryLimit(256 << 20)) { self.memory = memory }

    func limit(isRemote: Bool) -> ConcurrencyLimit { isRemote ? limits.remote : limits.local }

    func remember(_ table: SegmentTable, of playlist: String) {
        tables.withLock { tables in
            tables.removeAll { $0.playlist == playlist }
            tables.append((playlist, table))
            while tables.count > 1, tables.reduce(0, { $0 + $1.table.rows.count }) > Self.capacity {
                tables.removeFirst()
            }
        }
    }

    /// Returns the table of a playlist that lists a segment; nil if there is none.
    func table(of playlist: String, with number: Int) -> SegmentTable? {
        tables.withLock { tables in tables.first { $0.playlist == playlist && $0.table.row(number) != nil }?.table }
    }
}

/// The relative reference from one path to another (RFC 3986 §4.2).
enum RelativePath {
    static func from(_ base: String, to path: String) -> String {
        let own = base.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let other = path.split(separator: "/", omittingEmptySubsequences: false)
        let common = zip(own, other.dropLast()).prefix { $0 == $1 }.count
        let up = repeatElement("..", count: own.count - common)
        let reference = (up + other.dropFirst(common).map(String.init)).joined(separator: "/")
        // A first component with a colon would be a scheme.
        return reference.prefix { $0 != "/" }.contains(":") ? "./\(reference)" : reference
    }
}
