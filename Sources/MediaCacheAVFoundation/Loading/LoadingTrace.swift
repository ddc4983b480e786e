import MediaCache

/// A record of a player's last 1,000 requests, for the analysis of stalls.
public struct LoadingTrace: Sendable, Hashable, Codable {
    /// One request.
    public struct Entry: Sendable, Hashable, Codable {
        /// The result of a request.
        public enum Ending: String, Sendable, Hashable, Codable {
            /// The request received all requested bytes.
            case finished
            /// The player cancelled the request.
            case cancelled
            /// The request failed with an error.
            case failed
        }

        /// The offset of the first requested byte.
        public var offset: Int64
        /// The number of requested bytes; nil if all bytes to the end of the resource were requested, or none.
        public var length: Int64?
        /// Whether the content information was requested.
        public var wantsContentInformation: Bool
        /// The time of the request, in seconds since the creation of the loader.
        public var began: Double
        /// The time when the first bytes were received, in seconds since the creation of the loader; nil if none were.
        public var firstBytes: Double?
        /// The time of the end, in seconds since the creation of the loader; nil while the request is running.
        public var ended: Double?
        /// The number of bytes that the player received.
        public var bytes: Int64
        /// The part of ``bytes`` that was cached when the request started. The rest was fetched from the origin.
        public var bytesFromCache: Int64
        /// The result; nil while the request is running.
        public var ending: Ending?
        /// The description of the error; nil unless the request failed.
        public var error: String?
    }

    /// The requests in order.
    public internal(set) var entries: [Entry] = []
    /// The number of earlier requests that have been removed from the trace.
    public internal(set) var dropped = 0
}

extension LoadingTrace {
    private static let maximum = 1000

    /// Adds a request, and returns its number among all requests.
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

    mutating func add(_ number: Int, _ bytes: Int64, fromCache: Int64, at time: Double) {
        change(number) { entry in
            entry.firstBytes = entry.firstBytes ?? time
            entry.bytes += bytes
            entry.bytesFromCache += fromCache
        }
    }

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
