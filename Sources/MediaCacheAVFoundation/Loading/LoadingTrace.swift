import MediaCache

/// What became of each of a player's requests, for finding out why it stalls: the last 1,000 of them.
public struct LoadingTrace: Sendable, Hashable, Codable {
    /// One request.
    public struct Entry: Sendable, Hashable, Codable {
        /// How a request ended.
        public enum Ending: String, Sendable, Hashable, Codable {
            /// It got all that it asked for.
            case finished
            /// The player didn't want it any more.
            case cancelled
            /// It was told an error.
            case failed
        }

        /// The first byte that was asked for.
        public var offset: Int64
        /// How many bytes were asked for; nil for all to the end, and where none were.
        public var length: Int64?
        /// Whether it asked what the resource is.
        public var wantsContentInformation: Bool
        /// Seconds from the loader's beginning to the request.
        public var began: Double
        /// Seconds from the loader's beginning to the first bytes; nil while there are none.
        public var firstBytes: Double?
        /// Seconds from the loader's beginning to the end; nil while it's under way.
        public var ended: Double?
        /// How many bytes it was given.
        public var bytes: Int64
        /// How many of them the store had when the request came; the others came from the origin.
        public var bytesFromCache: Int64
        /// How it ended; nil while it's under way.
        public var ending: Ending?
        /// What it was told.
        public var error: String?
    }

    /// The requests, in the order in which they came.
    public internal(set) var entries: [Entry] = []
    /// How many earlier ones aren't here any more.
    public internal(set) var dropped = 0
}

extension LoadingTrace {
    private static let maximum = 1000

    /// Notes a request.
    ///
    /// - Returns: which of all requests it is.
    mutating func begin(_ request: some ResourceLoadingRequest, at time: Double) -> Int {
        if entries.count == Self.maximum {
            entries.removeFirst()
            dropped += 1
        }
        let data = request.data
        entries.append(
            Entry(
                offset: data?.offset ?? 0, length: data.flatMap { $0.isToEnd ? nil : $0.length },
                wantsContentInformation: request.wantsContentInformation, began: time, bytes: 0, bytesFromCache: 0))
        return dropped + entries.count - 1
    }

    /// Notes bytes that a request was given.
    mutating func add(_ number: Int, _ bytes: Int64, fromCache: Int64, at time: Double) {
        change(number) { entry in
            entry.firstBytes = entry.firstBytes ?? time
            entry.bytes += bytes
            entry.bytesFromCache += fromCache
        }
    }

    /// Notes a request's end.
    mutating func end(_ number: Int, _ ending: Entry.Ending, at time: Double, _ error: CacheError? = nil) {
        change(number) { entry in
            entry.ended = time
            entry.ending = ending
            entry.error = error?.description
        }
    }

    private mutating func change(_ number: Int, _ change: (inout Entry) -> Void) {
        if number >= dropped { change(&entries[number - dropped]) }
    }
}
