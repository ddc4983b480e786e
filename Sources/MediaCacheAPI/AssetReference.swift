public import MediaCache
internal import MediaLibrary

/// A reference to a cached resource or an asset, as users write it.
public enum AssetReference: Sendable, Hashable {
    /// The URL at the origin.
    case url(ResourceURL)
    /// The ID of a cached resource (``ResourceRecord/id``).
    case id(Int64)
    /// The ID or title of an asset.
    case asset(String)

    /// The URL; nil for other references.
    public var url: ResourceURL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// The reference in messages: a URL, `ID 17` or `“A film”`.
    public var text: String {
        switch self {
        case .url(let url): "\(url)"
        case .id(let id): "ID \(id)"
        case .asset(let name): "“\(name)”"
        }
    }

    /// Returns the item of a list that the reference identifies.
    ///
    /// - Parameter noun: The name of the items in messages, such as `download`.
    /// - Throws: `MediaJobError` if no item or more than one matches; ``Problem``, ``APIClientError`` or
    ///   `CancellationError`.
    public func find<Item: IdentifiableAsset>(
        in items: [Item], noun: String, client: APIClient
    ) async throws -> Item {
        let found: [Item]
        switch self {
        case .url(let url): found = items.filter { $0.url == "\(url)" }
        case .id(let id):
            let url = try await client.resource(id: id)?.url
            found = items.filter { $0.url == url }
        case .asset(let name):
            let named = items.filter { $0.id == name }
            found = named.isEmpty ? items.filter { $0.title == name } : named
        }
        guard let first = found.first else {
            throw MediaJobError(.failed, "there is no \(noun) \(text); check its URL, ID or title")
        }
        guard found.count == 1 else {
            let names = found.prefix(5).map(\.id).joined(separator: ", ")
            throw MediaJobError(.failed, "\(text) matches \(found.count.counted(noun)); use an ID: \(names)")
        }
        return first
    }
}

/// An asset or download that a reference can identify.
public protocol IdentifiableAsset {
    /// The asset's ID.
    var id: String { get }
    /// The URL at the origin, without user information.
    var url: String { get }
    /// The title; nil if there is none.
    var title: String? { get }
}

extension AssetRecord: IdentifiableAsset {}
extension DownloadRecord: IdentifiableAsset {}
