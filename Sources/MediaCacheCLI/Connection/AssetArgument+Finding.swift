import MediaCacheAPI
import MediaLibrary

/// An asset or download that an argument can identify.
protocol IdentifiableAsset {
    var id: String { get }
    var url: String { get }
    var title: String? { get }
}

extension AssetRecord: IdentifiableAsset {}
extension DownloadRecord: IdentifiableAsset {}

extension AssetArgument {
    /// Returns the asset that the argument identifies.
    ///
    /// - Throws: ``CommandFailure`` if no asset or more than one matches; errors from the API.
    func find<Item: IdentifiableAsset>(
        in assets: [Item], noun: String, using client: APIClient
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
        guard let first = found.first else {
            throw CommandFailure(.failed, "there is no \(noun) \(text); check its URL, ID or title")
        }
        guard found.count == 1 else {
            let names = found.prefix(5).map(\.id).joined(separator: ", ")
            throw CommandFailure(.failed, "\(text) matches \(found.count.counted(noun)); use an ID: \(names)")
        }
        return first
    }
}
