import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaLibrary

/// Shell completions from the running server, or without a server from the files of the cache folder. Completion
/// doesn't open the folder.
enum ServerCompletion {
    static let channels = completion(\.channels) { client in
        try await client.channels().map(\.name)
    }

    static let downloads = completion(\.downloads) { client in
        StoredNames.names(try await client.downloads().map { ($0.id, $0.title) })
    }

    static let assets = completion(\.assets) { client in
        StoredNames.names(try await client.assets().map { ($0.id, $0.title) })
    }

    /// All items: assets, channels, and played files and streams.
    static let items = completion({ $0.channels + $0.titles }) { client in
        StoredNames.names(try await client.libraryItems().map { ($0.id, $0.title) })
    }

    /// All items but channels.
    static let titles = completion(\.titles) { client in
        StoredNames.names(try await client.libraryItems().filter { $0.kind != .channel }.map { ($0.id, $0.title) })
    }

    /// All items, and the files in the folder of the prefix.
    static let itemsAndFiles = completion(
        { $0.channels + $0.titles }, files: true
    ) { client in
        StoredNames.names(try await client.libraryItems().map { ($0.id, $0.title) })
    }

    private static let limit = Duration.seconds(2)

    private static func completion(
        _ stored: @escaping @Sendable (StoredNames) -> [String], files: Bool = false,
        _ names: @escaping @Sendable (APIClient) async throws -> [String]
    ) -> CompletionKind {
        .custom { (words: [String], _: Int, prefix: String) async -> [String] in
            let found = try? await TimeLimit.run(limit) { () -> [String] in
                let location = try CacheOptions.parse(cacheOptions(in: words)).location
                guard let connection = try await Connection.running(at: location) else {
                    return stored(await StoredNames(at: location, origin: CurlOrigin()))
                }
                return try await names(connection.client)
            }
            // Titles with control characters aren't offered.
            return (((found ?? nil) ?? []) + (files ? paths(prefix) : []))
                .filter { $0.hasPrefix(prefix) && $0 == Table.printable($0) }
        }
    }

    /// Returns the paths of the files and folders that begin with a prefix. Folders end with a slash.
    private static func paths(_ prefix: String) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return names.filter { !$0.hasPrefix(".") && "\(folder)\($0)".hasPrefix(prefix) }.sorted().map { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder)
            return folder + name + (isFolder.boolValue ? "/" : "")
        }
    }

    /// Returns the option of a command line that determines the cache folder, with its value; empty without one.
    static func cacheOptions(in words: [String]) -> [String] {
        for name in ["--cache", "--config"] {
            if let word = words.first(where: { $0.hasPrefix("\(name)=") }) { return [word] }
            if let index = words.firstIndex(of: name), index + 1 < words.count { return [name, words[index + 1]] }
        }
        return []
    }
}
