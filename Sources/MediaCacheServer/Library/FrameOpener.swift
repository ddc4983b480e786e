import MediaCache
import MediaLibrary

/// Opens a picture out of an asset's film.
struct FrameOpener: ReaderOpener {
    let id: AssetID
    /// In seconds; nil takes one that shows something.
    let time: Double?
    let shelf: AssetShelf
    let frames: AssetFrames

    var name: String { "a picture of \(id)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let asset = try await shelf.requireAsset(id)
        guard let cover = try await frames.frame(of: asset, at: time) else {
            throw CacheError(.notFound, "\(asset.url) has no picture" + (time.map { " at \($0) s" } ?? ""))
        }
        // Whole, since each part would be decoded anew.
        return try MemoryReader(cover, range: range, name: name, acceptsRanges: false)
    }
}
