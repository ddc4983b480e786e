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

extension MemoryReader {
    /// A reader of a picture.
    convenience init(_ cover: Cover, range: RequestedRange, name: String, acceptsRanges: Bool = true) throws {
        try self.init(
            cover.bytes, contentType: cover.mediaType, range: range, name: name, acceptsRanges: acceptsRanges)
    }
}
