import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Shell completions from the running server, or from the files of the cache folder if there is none. Completion
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

    static let assetsAndChannels = completion({ $0.channels + $0.assets }) { client in
        let assets = StoredNames.names(try await client.assets().map { ($0.id, $0.title) })
        return try await client.channels().map(\.name) + assets
    }

    private static let limit = Duration.seconds(2)

    private static func completion(
        _ stored: @escaping @Sendable (StoredNames) -> [String],
        _ names: @escaping @Sendable (APIClient) async throws -> [String]
    ) -> CompletionKind {
        .custom { (words: [String], _: Int, prefix: String) async -> [String] in
            let found = try? await TimeLimit.run(limit) { () -> [String] in
                let location = try CacheOptions.parse(cacheOptions(in: words)).location
                guard let connection = try await Connection.running(at: location) else {
                    return stored(StoredNames(at: location))
                }
                return try await names(connection.client)
            }
            // Titles with control characters aren't offered.
            return ((found ?? nil) ?? []).filter { $0.hasPrefix(prefix) && $0 == Table.printable($0) }
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
