import MediaCache
import MediaCacheServer
import MediaLibrary

/// What is kept of something that is to be exported.
struct KeptAsset: Sendable {
    /// Its URL.
    let url: ResourceURL
    /// Nil where nothing is kept, and its origin may be asked for all of it.
    private let record: ResourceRecord?

    /// Looks it up.
    ///
    /// - Throws: ``CommandFailure`` if nothing is kept of it: of a number always, of a URL where no origin may be asked.
    init(_ asset: AssetArgument, _ opening: InputOpening) throws {
        guard let client = opening.connection?.client else { throw CommandFailure(.failed, "no cache is open") }
        let (record, name) = try opening.control.wait { () -> (ResourceRecord?, String) in
            switch asset {
            case .url(let url): (try await client.resource(for: url), "\(url)")
            case .id(let id): (try await client.resource(id: id), "number \(id)")
            }
        }
        self.record = record
        // Whose it is is in the URL that was given, and not in the record's.
        if case .url(let url) = asset, record != nil || !opening.isKeptOnly {
            self.url = url
            return
        }
        guard let record else {
            throw CommandFailure(
                .failed, "nothing is kept of \(name); `get` keeps it, and so does playing it; --fetch asks its origin")
        }
        url = try ResourceURL(record.url)
    }

    /// Whether it's a stream.
    var isStream: Bool { record?.stream != nil }

    /// - Throws: ``CommandFailure``, saying what is missing.
    func requireWhole() throws {
        guard let record else { return }
        if let stream = record.stream {
            guard !stream.playsWithoutOrigin else { return }
            throw CommandFailure(
                .failed,
                "not all of \(url) is kept: \(stream.shortage); --fetch asks its origin, --gaps leaves gaps")
        }
        guard !record.complete else { return }
        let holes = ResourceReport.holes(record)
        let shown = holes.prefix(3).map { "\($0.lowerBound)–\($0.upperBound)" }.joined(separator: ", ")
        let more = holes.count > 3 ? " and \(holes.count - 3) more ranges" : ""
        let what = holes.isEmpty ? "its length isn't known yet" : "bytes \(shown)\(more) are missing"
        throw CommandFailure(.failed, "not all of \(url) is kept: \(what); --fetch asks its origin")
    }

    /// Whether the media playlist at a play URL is kept with all that it names.
    func isWhole(playURL: String) -> Bool {
        guard let path = playURL.firstRange(of: "/play/").map({ playURL[$0.lowerBound...] }),
            let origin = try? PlayTarget(String(path)).url, let stream = record?.stream
        else { return true }
        return stream.playlists.first { $0.url == origin.description }?.isComplete ?? true
    }
}
