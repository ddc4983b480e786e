import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Extracts frames from videos, two at a time: each needs a decoder process, and any client on this machine may
/// request one.
struct FrameQueue: Sendable {
    private let extractor: (any FrameExtractor)?
    private let limit = ConcurrencyLimit(2, maximumWaiting: 32)

    init(_ extractor: (any FrameExtractor)?) {
        self.extractor = extractor
    }

    /// Whether a decoder is available.
    var isAvailable: Bool { extractor != nil }

    /// Returns a frame of a video; nil if the video has none at that time.
    ///
    /// - Parameters:
    ///   - url: The URL of the video.
    ///   - time: The time in seconds; nil for a representative frame.
    /// - Throws: The errors of the decoder; ``Problem`` without a decoder; ``ConcurrencyLimit/Exceeded`` if
    ///   too many requests wait.
    func frame(of url: String, at time: Double?) async throws -> Cover? {
        guard let extractor else { throw Problem.noDecoder }
        return try await limit.run {
            if let time { return try await extractor.frame(of: url, at: time) }
            return try await extractor.frame(of: url)
        }
    }
}

/// Extracts frames from the videos of assets.
struct AssetFrames: Sendable {
    let queue: FrameQueue
    let movies: MovieCache
    /// Returns the URL that a decoder reads for an asset: its remuxed movie, or its file unchanged.
    let videoURL: @Sendable (_ asset: Asset, _ isMovie: Bool) throws -> String

    /// Returns the frame at `time` in seconds, or a representative one if `time` is nil; nil if the asset has no frame
    /// there.
    ///
    /// - Throws: The errors of ``FrameQueue/frame(of:at:)``, and the error that prevents the video from being read.
    func frame(of asset: Asset, at time: Double?) async throws -> Cover? {
        try await queue.frame(of: try videoURL(asset, try await movies.isReadAsMovie(asset)), at: time)
    }
}
