public import Foundation
internal import HTTPTypes
public import MediaCache
public import MediaLibrary

/// A list of URLs whose beginnings are fetched, the response to `GET /api/v1/preloads/<id>`.
public struct PreloadRecord: Codable, Sendable, Hashable, Identifiable {
    /// A URL of the list.
    public struct Item: Codable, Sendable, Hashable {
        /// The states of an item.
        public enum State: String, Codable, Sendable, Hashable, CaseIterable {
            /// Waiting for items with a higher rank.
            case waiting
            /// Being fetched.
            case running
            /// The requested amount is cached.
            case ready
            /// Failed. An update that lists the URL retries it.
            case failed
        }

        /// The URL, without user information.
        public var url: String
        /// The state.
        public var state: State
        /// The number of cached bytes of the requested amount.
        public var bytes: Int64
        /// The number of bytes to preload; null if it isn't known yet.
        public var length: Int64?
        /// The number of parts to preload, 1 for a file; 0 if it isn't known yet.
        public var parts: Int
        /// The number of preloaded parts.
        public var partsDone: Int
        /// The reason of a failure; null in other states.
        public var error: String?

        /// Creates the record of a status.
        public init(_ status: PreloadStatus) {
            url = status.url.withoutUserInfo.description
            (bytes, length) = (status.bytes, status.length)
            (parts, partsDone) = (status.parts, status.partsDone)
            switch status.state {
            case .waiting: state = .waiting
            case .running: state = .running
            case .ready: state = .ready
            case .failed(let failure):
                state = .failed
                error = failure.message
            }
        }
    }

    /// The ID.
    public var id: String
    /// The time the list was created.
    public var created: Date
    /// The URLs in the order of their ranks.
    public var items: [Item]

    /// Creates a record.
    public init(id: String, created: Date, items: [Item]) {
        self.id = id
        self.created = created
        self.items = items
    }

    /// Whether each item is ready or has failed.
    public var isFinished: Bool { items.allSatisfy { $0.state == .ready || $0.state == .failed } }
}

/// The response to `GET /api/v1/preloads`.
public struct PreloadList: PagedList, Hashable {
    /// The lists, in the order they were created.
    public var preloads: [PreloadRecord]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a page.
    public init(preloads: [PreloadRecord], next: String? = nil) {
        self.preloads = preloads
        self.next = next
    }

    /// The items of the page.
    public var items: [PreloadRecord] { preloads }
}

/// The body of `POST /api/v1/preloads` and `PUT /api/v1/preloads/<id>`.
public struct PreloadRequest: Codable, Sendable, Hashable {
    /// The maximum number of ``urls``.
    public static let maximumURLs = 100

    /// The URLs of files and playlists, 1 to ``maximumURLs``. The first has the highest rank.
    public var urls: [String]
    /// The number of seconds of each file or stream. Null for ``bytes``, ``segments`` or, if these are null too, 10
    /// seconds.
    public var seconds: Double?
    /// The number of bytes of each file, or of the segments of each stream.
    public var bytes: Int64?
    /// The number of segments of each playlist of a stream. For a file, a segment is 6 seconds.
    public var segments: Int?
    /// The selected variants, as in ``DownloadAddition/variant``. Only for `POST`.
    public var variant: String?
    /// The selected audio, as in ``DownloadAddition/audio``. Only for `POST`.
    public var audio: String?
    /// The selected subtitles, as in ``DownloadAddition/subtitles``; null means none. Only for `POST`.
    public var subtitles: String?

    /// Creates a request.
    public init(
        urls: [String], seconds: Double? = nil, bytes: Int64? = nil, segments: Int? = nil, variant: String? = nil,
        audio: String? = nil, subtitles: String? = nil
    ) {
        self.urls = urls
        self.seconds = seconds
        self.bytes = bytes
        self.segments = segments
        self.variant = variant
        self.audio = audio
        self.subtitles = subtitles
    }
}

extension APIClient {
    private static let preloadsPath = "/api/v1/preloads"

    /// Returns all preloads, in the order they were created.
    public func preloads() async throws -> [PreloadRecord] { try await all(PreloadList.self, Self.preloadsPath) }

    /// Starts to fetch the beginnings of URLs. Any user information in the URLs is sent to the server; the URLs of
    /// `request` are ignored.
    public func addPreload(of urls: [ResourceURL], _ request: PreloadRequest) async throws -> PreloadRecord {
        try await call(.post, Self.preloadsPath, content: try .json(Self.request(of: urls, request)))
    }

    /// Replaces the URLs of a preload. Those that are no longer listed stop; the others continue with their new ranks.
    @discardableResult
    public func updatePreload(
        _ id: String, to urls: [ResourceURL], _ request: PreloadRequest
    ) async throws -> PreloadRecord {
        try await call(
            .put, "\(Self.preloadsPath)/\(Self.escape(id))", content: try .json(Self.request(of: urls, request)))
    }

    /// Returns a preload.
    ///
    /// - Throws: ``Problem`` with status 404 if it doesn't exist.
    public func preload(_ id: String) async throws -> PreloadRecord {
        try await call(.get, "\(Self.preloadsPath)/\(Self.escape(id))")
    }

    /// Stops and removes a preload. Received bytes stay cached.
    public func removePreload(_ id: String) async throws {
        try await send(.delete, "\(Self.preloadsPath)/\(Self.escape(id))")
    }

    private static func request(of urls: [ResourceURL], _ request: PreloadRequest) -> PreloadRequest {
        var request = request
        request.urls = urls.map { text(of: $0) }
        return request
    }
}
