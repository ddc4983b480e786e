import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A queue that extracts at most two video frames concurrently. Each extraction needs a decoder process, and every
/// client that may read an asset or a channel may request one.
struct FrameQueue: Sendable {
    private let extractor: (any FrameExtractor)?
    private let limit = ConcurrencyLimit(2, maximumWaiting: 32)

    init(_ extractor: (any FrameExtractor)?) { self.extractor = extractor }

    var isAvailable: Bool { extractor != nil }

    /// Returns the frame at `time` in seconds, or a representative frame if `time` is nil. Returns nil if the video has
    /// no frame there.
    ///
    /// - Throws: The errors of the decoder; ``Problem`` if there is no decoder; ``ConcurrencyLimit/Exceeded`` if too
    ///   many requests are waiting.
    func frame(of url: String, at time: Double?) async throws -> Cover? {
        guard let extractor else { throw Problem.noDecoder }
        return try await limit.run {
            if let time { return try await extractor.frame(of: url, at: time) }
            return try await extractor.frame(of: url)
        }
    }
}

/// An extractor of frames from the videos of assets.
struct AssetFrames: Sendable {
    let queue: FrameQueue
    let movies: MovieCache
    /// Returns the URL from which a decoder reads an asset: its remuxed movie, or its unchanged file.
    let videoURL: @Sendable (_ asset: Asset, _ isMovie: Bool) throws -> String

    /// Returns a frame as ``FrameQueue/frame(of:at:)`` does. Also throws if the asset can't be read.
    func frame(of asset: Asset, at time: Double?) async throws -> Cover? {
        try await queue.frame(of: try videoURL(asset, try await movies.isReadAsMovie(asset)), at: time)
    }
}
