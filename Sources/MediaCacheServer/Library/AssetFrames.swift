import MediaLibrary

/// Extracts frames from the films of assets.
struct AssetFrames: Sendable {
    let queue: FrameQueue
    let movies: MovieBook
    /// Returns the URL that a decoder reads for an asset: its remuxed movie, or its file unchanged.
    let filmURL: @Sendable (_ asset: Asset, _ isMovie: Bool) throws -> String

    /// Returns the frame at `time` in seconds, or a representative one if `time` is nil; nil if the asset has
    /// no picture.
    ///
    /// - Throws: the errors of ``FrameQueue/frame(of:at:)``, and the error that keeps the film from being read.
    func frame(of asset: Asset, at time: Double?) async throws -> Cover? {
        try await queue.frame(of: try filmURL(asset, try await movies.isReadAsMovie(asset)), at: time)
    }
}
