public import Foundation
internal import HTTPTypes
public import MediaCache
public import MediaLibrary

/// A download, the response to `GET /api/v1/downloads/<id>`. The values of its header fields are never reported.
public struct DownloadRecord: Codable, Sendable, Hashable, Identifiable {
    /// The state of a download; see `DownloadState`.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// The download waits for its turn.
        case queued
        /// Bytes are being fetched, or are about to be.
        case running
        /// The user paused the download.
        case paused
        /// The download waits until an obstacle is gone, and then continues automatically.
        case waiting
        /// The download ended without being complete.
        case failed
        /// Every selected byte is cached.
        case complete
        /// Every available byte is cached. The missing parts are listed in `holes`.
        case completeWithHoles

        /// Whether the download has ended and won't continue automatically.
        public var isEnded: Bool {
            switch self {
            case .failed, .complete, .completeWithHoles: true
            case .queued, .running, .paused, .waiting: false
            }
        }
    }

    /// The obstacle that a download is waiting for, or the cause of its failure.
    public struct Reason: Codable, Sendable, Hashable {
        /// The code for programs: a `DownloadObstacle.Kind` (`network`, `space`, …) or a `CacheError.Code`.
        public var code: String
        /// The description, in one sentence.
        public var message: String
        /// The time of the next attempt, if known.
        public var until: Date?
        /// Whether a retry may succeed.
        public var retryable: Bool

        /// Creates a reason.
        public init(code: String, message: String, until: Date? = nil, retryable: Bool) {
            self.code = code
            self.message = message
            self.until = until
            self.retryable = retryable
        }
    }

    /// The asset's ID, as used in URLs.
    public var id: String
    /// The URL of the asset's file or top playlist, without user information.
    public var url: String
    /// Whether the asset is fetched with credentials and belongs to one user. The user isn't reported.
    public var withCredentials: Bool
    /// The title; null if none is known.
    public var title: String?
    /// The kind of asset, a file or a stream; null if not known yet.
    public var kind: Asset.Kind?
    /// The duration in seconds; null if not known yet.
    public var duration: Double?
    /// The state.
    public var state: State
    /// The obstacle or failure; null in other states.
    public var reason: Reason?
    /// The number of cached bytes.
    public var bytes: Int64
    /// The length in bytes, exact or estimated; null if unknown.
    public var length: Int64?
    /// Whether `length` is exact.
    public var isLengthExact: Bool
    /// The number of complete parts. A part is a file, segment, key, media initialization section or session data.
    public var partsDone: Int
    /// The total number of parts; 0 if not known yet.
    public var parts: Int
    /// The recent rate, in bytes per second.
    public var rate: Double
    /// The number of seconds that can be played from the beginning without waiting.
    public var secondsReady: Double
    /// The priority. Downloads with higher values run first.
    public var priority: Int
    /// The time the download was added.
    public var added: Date
    /// The selected variants: `best`, `worst`, `all`, a height below 10,000, or a bandwidth.
    public var variant: String
    /// The selected audio renditions: `standard`, `all`, `none`, or languages separated by commas.
    public var audio: String
    /// The selected subtitles, in the same format as `audio`.
    public var subtitles: String
    /// The names of the header fields that were set for the download.
    public var headerNames: [String]
    /// The number of parts that couldn't be fetched.
    public var holeCount: Int
    /// The parts that couldn't be fetched, at most 10,000; null in a list of downloads.
    public var holes: [DownloadHole]?
    /// Remarks on the received media; null in a list of downloads.
    public var notes: [AssetContents.Note]?

    /// Creates the record of a download.
    ///
    /// - Parameter inFull: Whether the record includes holes and notes.
    public init(_ status: DownloadStatus, inFull: Bool) {
        let (asset, progress) = (status.asset, status.progress)
        let download = asset.download ?? Download(added: asset.created)
        id = asset.id.rawValue
        url = asset.url
        withCredentials = asset.identity != nil
        title = asset.title
        kind = asset.kind
        duration = asset.duration
        state = State(download.state)
        reason = Reason(download.state)
        bytes = progress.bytes
        length = progress.length
        isLengthExact = progress.isLengthExact
        partsDone = progress.parts.done
        parts = progress.parts.total
        rate = progress.rate
        secondsReady = progress.secondsReady
        priority = download.priority
        added = download.added
        variant = download.selection.variants.text
        audio = download.selection.audio.text
        subtitles = download.selection.subtitles.text
        headerNames = download.headers.keys.sorted()
        holeCount = download.holeCount
        holes = inFull ? download.holes : nil
        notes = inFull ? download.notes : nil
    }
}

extension DownloadRecord.State {
    /// Creates the state of a download.
    package init(_ state: DownloadState) {
        self =
            switch state {
            case .queued: .queued
            case .running: .running
            case .paused: .paused
            case .waiting: .waiting
            case .failed: .failed
            case .complete: .complete
            case .completeWithHoles: .completeWithHoles
            }
    }
}

extension DownloadRecord.Reason {
    /// Creates the reason of a state; nil if the state has none.
    package init?(_ state: DownloadState) {
        switch state {
        case .waiting(let obstacle):
            self.init(code: obstacle.kind.rawValue, message: obstacle.message, until: obstacle.until, retryable: true)
        case .failed(let failure):
            self.init(code: failure.code, message: failure.message, retryable: failure.isRetryable)
        case .queued, .running, .paused, .complete, .completeWithHoles: return nil
        }
    }
}

/// The response to `GET /api/v1/downloads`.
public struct DownloadList: PagedList, Hashable {
    /// The downloads, in order of addition.
    public var downloads: [DownloadRecord]
    /// The cursor of the next page, for `?after=`; null on the last page.
    public var next: String?

    /// Creates a list.
    public init(downloads: [DownloadRecord], next: String? = nil) {
        self.downloads = downloads
        self.next = next
    }

    /// The items of the page.
    public var items: [DownloadRecord] { downloads }
}

/// The body of `POST /api/v1/downloads`: an asset to complete and pin.
public struct DownloadAddition: Codable, Sendable, Hashable {
    /// The URL of a file, or of a multivariant or media playlist.
    public var url: String
    /// The title. Null keeps the asset's title or, if there is none, derives it from the URL.
    public var title: String?
    /// The variants of a stream: `best`, `worst`, `all`, a maximum height in pixels (a number below 10,000), or a
    /// maximum bandwidth in bits per second. For a maximum, the best variant within it is selected. Null means `best`.
    public var variant: String?
    /// The audio renditions: `standard`, `all`, `none`, or languages (RFC 5646) separated by commas. Null means
    /// `standard`.
    public var audio: String?
    /// The subtitles, in the same format as `audio`. Null means `all`.
    public var subtitles: String?
    /// Header fields for the URL's origin, by name. They are stored with the asset, and their values are never
    /// reported.
    public var headers: [String: String]?
    /// The priority. Downloads with higher values run first. Null means 0.
    public var priority: Int?
    /// Whether the download starts paused. Null means no.
    public var paused: Bool?
    /// The number of seconds for which a growing stream is followed. Null means until its end.
    public var seconds: Double?

    /// Creates a request.
    public init(
        url: String, title: String? = nil, variant: String? = nil, audio: String? = nil, subtitles: String? = nil,
        headers: [String: String]? = nil, priority: Int? = nil, paused: Bool? = nil, seconds: Double? = nil
    ) {
        self.url = url
        self.title = title
        self.variant = variant
        self.audio = audio
        self.subtitles = subtitles
        self.headers = headers
        self.priority = priority
        self.paused = paused
        self.seconds = seconds
    }
}

/// The body of `PATCH /api/v1/downloads/<id>`. Null leaves a value unchanged.
public struct DownloadUpdate: Codable, Sendable, Hashable {
    /// A state that a download can be set to.
    public enum State: String, Codable, Sendable, Hashable {
        /// The download is paused.
        case paused
        /// The download is resumed, including one that failed or has holes.
        case running
        /// The download of a growing stream ends with the segments available now.
        case finished
    }

    /// The new state.
    public var state: State?
    /// The new priority. Downloads with higher values run first.
    public var priority: Int?

    /// Creates an update.
    public init(state: State? = nil, priority: Int? = nil) {
        self.state = state
        self.priority = priority
    }
}

/// The body of `PUT /api/v1/downloads/order`.
public struct DownloadOrder: Codable, Sendable, Hashable {
    /// The assets' IDs, in the order in which to download. Downloads that aren't listed keep their priority.
    public var ids: [String]

    /// Creates an order.
    public init(ids: [String]) { self.ids = ids }
}

extension APIClient {
    private static let downloadsPath = "/api/v1/downloads"

    /// Returns all downloads, in order of addition.
    ///
    /// - Parameter limit: The time to wait for a change, at most 10 s. The call returns as soon as a download is added
    ///   or removed or changes its state.
    public func downloads(waiting limit: Duration = .zero) async throws -> [DownloadRecord] {
        try await all(DownloadList.self, "\(Self.downloadsPath)?wait=\(Int(limit / .milliseconds(1)))")
    }

    /// Returns an asset's download, including its holes; nil if there is none.
    ///
    /// - Parameter limit: The time to wait for a change; see ``downloads(waiting:)``. Not used if the download has
    ///   ended.
    public func download(_ id: String, waiting limit: Duration = .zero) async throws -> DownloadRecord? {
        try await callIfFound(.get, "\(path(of: id))?wait=\(Int(limit / .milliseconds(1)))")
    }

    /// Adds a download. If the asset already has one, changes its selection, header fields and priority, and resumes
    /// it. Any user information in `url` is sent to the server; the URL of `addition` is ignored.
    ///
    /// - Throws: ``Problem`` with status 409 if the selection differs from that of a live stream with recorded media.
    public func addDownload(of url: ResourceURL, _ addition: DownloadAddition) async throws -> DownloadRecord {
        var addition = addition
        addition.url = Self.text(of: url)
        return try await call(.post, Self.downloadsPath, content: try .json(addition))
    }

    /// Pauses, resumes or finishes a download, or changes its priority.
    @discardableResult
    public func updateDownload(_ id: String, _ update: DownloadUpdate) async throws -> DownloadRecord {
        try await call(.patch, path(of: id), content: try .json(update))
    }

    /// Cancels a download.
    ///
    /// - Parameter keepingData: Whether to keep the asset, and the received data in the cache, unpinned. Otherwise both
    ///   are removed.
    public func cancelDownload(_ id: String, keepingData: Bool = false) async throws {
        try await send(.delete, "\(path(of: id))?keepData=\(keepingData)")
    }

    /// Pauses all downloads.
    @discardableResult
    public func pauseDownloads() async throws -> [DownloadRecord] {
        try await (call(.post, "\(Self.downloadsPath)/pause") as DownloadList).downloads
    }

    /// Resumes all downloads, including failed ones.
    @discardableResult
    public func resumeDownloads() async throws -> [DownloadRecord] {
        try await (call(.post, "\(Self.downloadsPath)/resume") as DownloadList).downloads
    }

    /// Sets the order of downloads, and returns all downloads. Downloads that aren't listed keep their priority.
    ///
    /// - Parameter ids: The assets' IDs, in the order in which to download.
    @discardableResult
    public func orderDownloads(_ ids: [String]) async throws -> [DownloadRecord] {
        let list: DownloadList = try await call(
            .put, "\(Self.downloadsPath)/order", content: try .json(DownloadOrder(ids: ids)))
        return list.downloads
    }

    private func path(of id: String) -> String { "\(Self.downloadsPath)/\(Self.escape(id))" }
}
