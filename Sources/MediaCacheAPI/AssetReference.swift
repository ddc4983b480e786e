public import MediaCache
internal import MediaLibrary

/// A reference to a cached resource or an item of the library, as users write it.
public enum AssetReference: Sendable, Hashable {
    /// The URL at the origin.
    case url(ResourceURL)
    /// A number without leading zeros: the ID of a cached resource (``ResourceRecord/id``), or a title.
    case id(Int64)
    /// The ID or title of an asset, the name of a channel, or the title of a played file or stream.
    case asset(String)

    /// Parses a reference. A text with a scheme, such as `https://example.org/film.mp4`, is a URL. A colon alone
    /// doesn't make a URL, since titles contain colons.
    ///
    /// - Throws: `CacheError` if a URL is invalid or has a scheme other than http and https, or if the text is empty.
    public init(_ text: String) throws {
        let written = text.filter { !$0.isWhitespace }
        let lowercased = written.lowercased()
        // Blanks between digits belong to a title.
        let words = text.split(whereSeparator: \.isWhitespace)
        if words.count == 1, let id = Int64(written), id >= 0, "\(id)" == written {
            self = .id(id)
        } else if written.isEmpty || text.contains("://") || lowercased.hasPrefix("http:")
            || lowercased.hasPrefix("https:")
        {
            self = .url(try ResourceURL(text))
        } else {
            self = .asset(text)
        }
    }

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

    /// The reference as a user writes it: a URL, `17` or `A film`.
    private var name: String {
        switch self {
        case .url(let url): "\(url)"
        case .id(let id): "\(id)"
        case .asset(let name): name
        }
    }

    /// Returns the item of a list that the reference identifies. An ID that isn't a number takes precedence over a
    /// title, and a title in the same case over one in another.
    ///
    /// - Parameter noun: The name of the items in messages, such as `download`.
    /// - Throws: `MediaJobError` if no item or more than one matches, as when a number is both the ID of a resource and
    ///   the title of another; ``Problem``, ``APIClientError`` or `CancellationError`.
    public func find<Item: IdentifiableAsset>(
        in items: [Item], noun: String, client: APIClient
    ) async throws -> Item {
        var url: String?
        if case .id(let id) = self { url = try await client.resource(id: id)?.url }
        let found = matches(in: items, url: url)
        if let item = try single(found, noun: noun) { return item }
        throw MediaJobError(.failed, "there is no \(noun) \(text); check its URL, ID or title")
    }

    /// Returns the matching items of a list.
    ///
    /// - Parameter url: The URL of the resource with the reference's number; nil if there is none.
    func matches<Item: IdentifiableAsset>(in items: [Item], url: String?) -> [Item] {
        switch self {
        case .url(let url): return items.filter { $0.url == "\(url)" }
        case .id(let id):
            return items.filter { $0.id == "\(id)" || $0.title == "\(id)" || url != nil && $0.url == url }
        case .asset(let name):
            let identified = items.filter { $0.id == name }
            guard identified.isEmpty else { return identified }
            let titled = items.filter { $0.title == name }
            return titled.isEmpty ? items.filter { $0.title?.lowercased() == name.lowercased() } : titled
        }
    }

    /// Returns the only item of a list; nil if it's empty.
    ///
    /// - Throws: `MediaJobError` if the list has several items.
    func single<Item: IdentifiableAsset>(_ found: [Item], noun: String) throws -> Item? {
        guard found.count > 1 else { return found.first }
        // An ID that equals the reference doesn't identify the item.
        let named = found.prefix(5).map { $0.id == name ? $0.url : "\($0.id) (\($0.url))" }
        let more = found.count > named.count ? " and \(found.count - named.count) more" : ""
        throw MediaJobError(
            .failed,
            "“\(name)” matches \(found.count.counted(noun)); use an ID or a URL: "
                + "\(named.joined(separator: ", "))\(more)")
    }
}

/// An asset, download or library item that a reference can identify.
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
