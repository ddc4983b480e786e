import MediaCache
import MediaLibrary

/// Opens the picture that is kept with an asset.
struct CoverOpener: ReaderOpener {
    let id: AssetID
    let shelf: AssetShelf

    var name: String { "the cover of \(id)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        guard let cover = try await shelf.cover(of: try await shelf.requireAsset(id).id) else {
            throw CacheError(.notFound, "no picture is kept with the asset \(id)")
        }
        return try MemoryReader(cover, range: range, name: name)
    }
}

/// Opens a picture out of an asset's film.
struct FrameOpener: ReaderOpener {
    let id: AssetID
    let time: Double
    let shelf: AssetShelf
    let frames: FrameQueue
    let playURL: @Sendable (Asset) throws -> String

    var name: String { "the picture of \(id) at \(time) s" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let asset = try await shelf.requireAsset(id)
        guard let cover = try await frames.frame(of: try playURL(asset), at: time) else {
            throw CacheError(.notFound, "\(asset.url) has no picture at \(time) s")
        }
        return try MemoryReader(cover, range: range, name: name)
    }
}

extension MemoryReader {
    /// A reader of a picture.
    fileprivate convenience init(_ cover: Cover, range: RequestedRange, name: String) throws {
        try self.init(cover.bytes, contentType: cover.mediaType, range: range, name: name)
    }
}
