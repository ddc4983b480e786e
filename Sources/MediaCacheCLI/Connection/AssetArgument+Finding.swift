import MediaCacheAPI

/// What an asset is named by.
protocol AssetNaming {
    /// What it's called in URLs.
    var id: String { get }
    /// The URL that it begins with.
    var url: String { get }
    /// What a person calls it.
    var title: String? { get }
}

extension AssetRecord: AssetNaming {}
extension DownloadRecord: AssetNaming {}

extension AssetArgument {
    /// The one of `assets` that is meant.
    ///
    /// - Parameters:
    ///   - what: what they are, for messages.
    ///   - client: is asked what a number stands for.
    /// - Throws: ``CommandFailure`` where it's none of them, or more than one; what the cache's owner answers.
    func find<Item: AssetNaming>(
        in assets: [Item], what: String, asking client: APIClient
    ) async throws -> Item {
        let found: [Item]
        switch self {
        case .url(let url): found = assets.filter { $0.url == "\(url)" }
        case .id(let id):
            let url = try await client.resource(id: id)?.url
            found = assets.filter { $0.url == url }
        case .asset(let name):
            let named = assets.filter { $0.id == name }
            found = named.isEmpty ? assets.filter { $0.title == name } : named
        }
        guard let first = found.first else { throw CommandFailure(.failed, "there is no \(what) \(text)") }
        guard found.count == 1 else {
            let names = found.prefix(5).map(\.id).joined(separator: ", ")
            throw CommandFailure(.failed, "\(text) names \(found.count) of them; say which: \(names)")
        }
        return first
    }
}
