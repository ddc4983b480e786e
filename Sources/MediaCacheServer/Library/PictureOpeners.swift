import MediaCache
import MediaLibrary

/// The opener of an asset's cover.
struct CoverOpener: ReaderOpener {
    let id: AssetID
    let assetStore: AssetStore

    var name: String { "the cover of \(id)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        guard let cover = try await assetStore.cover(of: try await assetStore.requireAsset(id).id) else {
            throw CacheError(.notFound, "the asset \(id) has no cover")
        }
        return try MemoryReader(cover, range: range, name: name)
    }
}

extension MemoryReader {
    convenience init(_ cover: Cover, range: RequestedRange, name: String, acceptsRanges: Bool = true) throws {
        try self.init(cover.bytes, contentType: cover.mediaType, range: range, name: name, acceptsRanges: acceptsRanges)
    }
}

/// The opener of a frame of an asset's video.
struct FrameOpener: ReaderOpener {
    let id: AssetID
    /// The time in seconds; nil for a representative frame.
    let time: Double?
    let assetStore: AssetStore
    let frames: AssetFrames

    var name: String { "a frame of \(id)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let asset = try await assetStore.requireAsset(id)
        guard let cover = try await frames.frame(of: asset, at: time) else {
            throw CacheError(.notFound, "\(asset.url) has no video frame" + (time.map { " at \($0) s" } ?? ""))
        }
        // Ranges aren't supported, since each request would decode the frame again.
        return try MemoryReader(cover, range: range, name: name, acceptsRanges: false)
    }
}
