import Foundation
import MediaCache
import MediaContainers
import MediaLibrary

/// Opens readers of an asset as one MP4.
struct MovieOpener: ReaderOpener {
    let id: AssetID
    let shelf: AssetShelf
    let movies: MovieBook

    var name: String { "\(LibraryRoute.prefix)\(id)/media.mp4" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let (movie, known) = try await movies.movie(of: try await shelf.requireAsset(id))
        switch movie {
        case .layout(let layout, let file, let head):
            return LayoutReader(
                layout, of: file, in: movies.store, original: head, range: try resolved(range, in: layout.length),
                mark: "mp4")
        case .stream(let movie):
            let head = ResourceHead(
                length: movie.length, contentType: "video/mp4", validator: Validator(), validatedAt: Date(),
                entityTag: "\"mc-\(movie.identity)\"")
            return MovieReader(
                movie.reader(sharing: movies.holding), head: head, range: try resolved(range, in: movie.length),
                name: name,
                onChange: { [movies] in movies.forget(known) })
        }
    }

    private func resolved(_ range: RequestedRange, in length: Int64) throws -> Range<Int64> {
        guard let range = range.resolved(in: length) else {
            throw CacheError(
                .rangeNotSatisfiable, "\(name) has \(length) bytes; the range lies outside", completeLength: length)
        }
        return range
    }
}
