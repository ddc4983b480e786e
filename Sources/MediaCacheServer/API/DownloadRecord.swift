public import Foundation
public import MediaLibrary

/// A download, as `GET /api/v1/downloads/<id>` gives it. The values of its header fields are never told.
public struct DownloadRecord: Codable, Sendable, Hashable, Identifiable {
    /// Where a download stands; see `DownloadState`.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// It waits for its turn.
        case queued
        /// Bytes are being fetched, or are about to be.
        case running
        /// Somebody paused it.
        case paused
        /// It goes on by itself when what it waits for has come.
        case waiting
        /// It has ended, and isn't complete.
        case failed
        /// Every byte that was wanted is here.
        case complete
        /// All that could be had is here; what couldn't is listed.
        case completeWithHoles

        /// Whether nothing more happens by itself.
        public var isEnded: Bool {
            switch self {
            case .failed, .complete, .completeWithHoles: true
            case .queued, .running, .paused, .waiting: false
            }
        }
    }

    /// What a download waits for, or why it failed.
    public struct Reason: Codable, Sendable, Hashable {
        /// What programs compare: a `DownloadObstacle.Kind` (`network`, `space`, …), or a `CacheError.Code`.
        public var code: String
        /// One sentence for a person.
        public var message: String
        /// When it tries again, where that is known.
        public var until: Date?
        /// Whether trying again can help.
        public var retryable: Bool

        /// Creates a reason.
        public init(code: String, message: String, until: Date? = nil, retryable: Bool) {
            self.code = code
            self.message = message
            self.until = until
            self.retryable = retryable
        }
    }

    /// The asset's name in URLs.
    public var id: String
    /// The URL of the file or playlist that it begins with, without user information.
    public var url: String
    /// Whether it's fetched by credentials, and is one user's; whose isn't told.
    public var withCredentials: Bool
    /// What a person calls it.
    public var title: String?
    /// Whether it's a file or a stream, once that is known.
    public var kind: Asset.Kind?
    /// How long it lasts in seconds, once that is known.
    public var duration: Double?
    /// Where it stands.
    public var state: State
    /// What it waits for, or why it failed; else null.
    public var reason: Reason?
    /// Bytes that are here.
    public var bytes: Int64
    /// Its length in bytes, known or estimated; null where nothing says.
    public var length: Int64?
    /// Whether `length` is known, and no estimate.
    public var lengthKnown: Bool
    /// Parts that are here: the file, or segments, keys and media initialization sections.
    public var partsDone: Int
    /// All parts; 0 while nobody knows.
    public var parts: Int
    /// The rate over the last seconds, in bytes per second.
    public var rate: Double
    /// How many seconds of it play from its beginning without waiting.
    public var secondsReady: Double
    /// What goes first: the greater.
    public var priority: Int
    /// When it was asked for.
    public var added: Date
    /// Which variant streams are wanted: `best`, `worst`, `all`, a height below 10,000, or a bandwidth.
    public var variant: String
    /// Which sound is wanted: `standard`, `all`, `none`, or languages with commas between.
    public var audio: String
    /// Which subtitles are wanted; as `audio`.
    public var subtitles: String
    /// The names of its own header fields.
    public var headerNames: [String]
    /// How many parts couldn't be had.
    public var holeCount: Int
    /// The parts that couldn't be had, 10,000 at most; null in a list of downloads.
    public var holes: [DownloadHole]?
    /// What somebody may want to know of what came; null in a list of downloads.
    public var notes: [AssetContents.Note]?

    /// The record of a download.
    ///
    /// - Parameters:
    ///   - status: the download.
    ///   - inFull: whether its holes and notes are told.
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
        lengthKnown = progress.isLengthKnown
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
    /// The name of a state.
    init(_ state: DownloadState) {
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
    /// The reason of a state; nil where it needs none.
    init?(_ state: DownloadState) {
        switch state {
        case .waiting(let obstacle):
            self.init(
                code: obstacle.kind.rawValue, message: obstacle.message, until: obstacle.until, retryable: true)
        case .failed(let failure):
            self.init(code: failure.code, message: failure.message, retryable: failure.isRetryable)
        case .queued, .running, .paused, .complete, .completeWithHoles: return nil
        }
    }
}
