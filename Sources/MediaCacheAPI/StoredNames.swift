internal import Foundation
public import MediaCache
internal import MediaLibrary

/// The names of a cache folder's items, read from its files. Reading needs no server and changes nothing.
public struct StoredNames: Sendable, Hashable {
    /// The names of all assets.
    public var assets: [String]
    /// The names of the assets with a download.
    public var downloads: [String]
    /// The names of the channels.
    public var channels: [String]
    /// The names of the assets, and of the played files and streams.
    public var titles: [String]

    /// The maximum number of files read of each kind.
    private static let limit = 10_000

    /// Reads the names. Unreadable files are skipped, and so are the played files and streams of a catalog that is
    /// larger than 64 MiB.
    ///
    /// - Parameter origin: The HTTP client of the store that reads the catalog. It isn't used.
    public init(at location: CacheLocation, origin: any Origin) async {
        let all = Self.files(in: "\(location.durable)/assets").compactMap {
            try? JSONDecoder().decode(Asset.self, from: $0)
        }
        assets = Self.names(all.map { ($0.id.rawValue, $0.title) })
        let played = (try? await Self.played(at: location, origin)) ?? []
        titles = Self.names(all.map { ($0.id.rawValue, $0.title) } + played.map { ("\($0.id)", $0.title) })
        downloads = Self.names(all.filter { $0.download != nil }.map { ($0.id.rawValue, $0.title) })
        channels = Self.files(in: "\(location.durable)/channels").compactMap {
            (try? JSONDecoder().decode(Channel.self, from: $0))?.name.rawValue
        }.sorted()
    }

    /// Returns the title of each item, or its ID if it has none, shares it with another item, or has one that commands
    /// take for a URL or for the number of a resource.
    public static func names(_ items: [(id: String, title: String?)]) -> [String] {
        let counts = Dictionary(items.compactMap(\.title).map { ($0, 1) }, uniquingKeysWith: +)
        return items.map { item in
            guard let title = item.title, counts[title] == 1, (try? AssetReference(title)) == .asset(title) else {
                return item.id
            }
            return title
        }.sorted()
    }

    private static func played(
        at location: CacheLocation, _ origin: any Origin
    ) async throws -> [(id: Int64, title: String?)] {
        guard let store = try await CacheStore.openToRead(location, maximumCatalog: 64 << 20, origin: origin) else {
            return []
        }
        let titles = try? await PlayedTitles(store: store, assetStore: AssetStore(of: store)).all()
        await store.close()
        return (titles ?? []).map { title in
            (title.main.id, (try? ResourceURL(title.main.url)).map { AssetTitle.title(for: $0) })
        }
    }

    private static func files(in folder: String) -> [Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.prefix(limit).compactMap {
            FileManager.default.contents(atPath: "\(folder)/\($0)")
        }
    }
}
