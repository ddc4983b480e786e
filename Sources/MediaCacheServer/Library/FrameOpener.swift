import MediaCache
import MediaLibrary

/// Opens a picture out of an asset's film.
struct FrameOpener: ReaderOpener {
    let id: AssetID
    let time: Double
    let shelf: AssetShelf
    let movies: MovieBook
    let frames: FrameQueue
    let filmURL: @Sendable (_ asset: Asset, _ isStream: Bool) throws -> String

    var name: String { "the picture of \(id) at \(time) s" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let asset = try await shelf.requireAsset(id)
        // What keeps a stream from being read is said here, where a decoder would only fail.
        let isStream = try await movies.isStream(asset)
        if isStream { _ = try await movies.movie(of: asset) }
        guard let cover = try await frames.frame(of: try filmURL(asset, isStream), at: time) else {
            throw CacheError(.notFound, "\(asset.url) has no picture at \(time) s")
        }
        return try MemoryReader(cover, range: range, name: name)
    }
}
