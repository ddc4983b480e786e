internal import Foundation
public import MediaCache
internal import MediaLibrary

/// The names of a cache folder's assets and channels, read from its files. Reading needs no server, and doesn't open
/// the folder.
public struct StoredNames: Sendable, Hashable {
    /// The names of all assets.
    public var assets: [String]
    /// The names of the assets with a download.
    public var downloads: [String]
    /// The names of the channels.
    public var channels: [String]

    /// The maximum number of files read of each kind.
    private static let limit = 10_000

    /// Reads the names. Unreadable files are skipped.
    public init(at location: CacheLocation) {
        let all = Self.files(in: "\(location.durable)/assets").compactMap {
            try? JSONDecoder().decode(Asset.self, from: $0)
        }
        assets = Self.names(all.map { ($0.id.rawValue, $0.title) })
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
            if let title = item.title, counts[title] == 1, !title.contains(":"), !title.allSatisfy(\.isNumber) {
                title
            } else {
                item.id
            }
        }.sorted()
    }

    private static func files(in folder: String) -> [Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.prefix(limit).compactMap {
            FileManager.default.contents(atPath: "\(folder)/\($0)")
        }
    }
}
