import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// What is kept of something that is to be exported.
struct KeptAsset: Sendable {
    /// Its URL.
    let url: ResourceURL
    /// Nil where nothing is kept, and its origin may be asked for all of it.
    private let record: ResourceRecord?
    /// The asset, where it's a stream that was downloaded: then its own playlists say what there is of it.
    private let download: BundleRecord?
    private let client: APIClient

    /// Looks it up.
    ///
    /// - Throws: ``CommandFailure`` if nothing is kept of it: of a number always, of a URL where no origin may be asked.
    init(_ asset: AssetArgument, _ opening: InputOpening) throws {
        guard let client = opening.connection?.client else { throw CommandFailure(.failed, "no cache is open") }
        self.client = client
        if opening.isKeptOnly,
            let download = try opening.control.wait(for: { try await Self.download(of: asset, client) })
        {
            self.download = download
            record = nil
            url = try ResourceURL(download.url)
            return
        }
        self.download = nil
        let record = try opening.control.wait { () -> ResourceRecord? in
            switch asset {
            case .url(let url): return try await client.resource(for: url)
            case .id(let id): return try await client.resource(id: id)
            case .asset:
                let named = try await asset.find(in: try await client.assets(), what: "asset", asking: client)
                return try await client.resource(for: try ResourceURL(named.url))
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
                .failed,
                "nothing is kept of \(asset.text); `get` keeps it, and so does playing it; --fetch asks its origin")
        }
        url = try ResourceURL(record.url)
    }

    /// A stream that was downloaded; nil for anything else.
    private static func download(of asset: AssetArgument, _ client: APIClient) async throws -> BundleRecord? {
        let name: String
        switch asset {
        // Whose it is is in the URL, and not in the asset's.
        case .url(let url) where url.userInfo == nil: name = "\(url)"
        case .asset(let known): name = known
        case .url, .id: return nil
        }
        do {
            let record = try await client.bundle(ofAsset: name)
            let isEnded = record.state == nil || record.state == .complete || record.state == .completeWithHoles
            return isEnded && record.contents?.playlists.isEmpty == false ? record : nil
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// What is read.
    var input: InputArgument {
        guard let download, let entry = download.contents?.entry,
            let url = try? ResourceURL(client.libraryURL(ofAsset: download.id) + entry)
        else { return .url(url) }
        return .url(url)
    }

    /// Whether it's a stream that was downloaded, whose own playlists name what was chosen of it.
    var isDownload: Bool { download != nil }

    /// Whether it's a stream.
    var isStream: Bool { download != nil || record?.stream != nil }

    /// - Throws: ``CommandFailure``, saying what is missing.
    func requireWhole() throws {
        if let download, download.holeCount > 0 {
            throw CommandFailure(.failed, "\(download.holesInWords) of \(url) couldn't be had; --gaps leaves gaps")
        }
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

extension BundleRecord {
    /// How much of it is missing, in words.
    var holesInWords: String { holeCount.counted("part") }
}
