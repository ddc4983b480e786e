import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Shell completions from the running server. Without a server there are none, since completion doesn't open the cache
/// folder.
enum ServerCompletion {
    static let channels = completion { client in
        try await client.channels().map(\.name)
    }

    static let downloads = completion { client in
        try await client.downloads().flatMap { [$0.id, $0.title].compactMap(\.self) }
    }

    static let assets = completion { client in
        try await client.assets().flatMap { [$0.id, $0.title].compactMap(\.self) }
    }

    static let assetsAndChannels = completion { client in
        let assets = try await client.assets().flatMap { [$0.id, $0.title].compactMap(\.self) }
        return try await client.channels().map(\.name) + assets
    }

    private static let limit = Duration.seconds(2)

    private static func completion(
        _ names: @escaping @Sendable (APIClient) async throws -> [String]
    ) -> CompletionKind {
        .custom { (words: [String], _: Int, prefix: String) async -> [String] in
            let found = try? await TimeLimit.run(limit) { () -> [String] in
                let location = try CacheOptions.parse(cacheOptions(in: words)).location
                guard let connection = try await Connection.running(at: location) else { return [] }
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
