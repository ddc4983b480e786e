import MediaCache
import MediaLibrary

/// Something kept, as commands name it: by its URL, by its number in `list --json`, or, an asset, by its name or title.
enum AssetArgument: Sendable, Hashable {
    /// By its URL.
    case url(ResourceURL)
    /// By its number.
    case id(Int64)
    /// An asset by its name in URLs, or by its title.
    case asset(String)

    /// Reads a URL, a number, or the name or title of an asset.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        let trimmed = text.filter { !$0.isWhitespace }
        if !trimmed.isEmpty, trimmed.allSatisfy({ $0.isASCII && $0.isNumber }), let id = Int64(trimmed) {
            self = .id(id)
        } else if AssetID(rawValue: text) != nil || !text.contains(":") && !trimmed.isEmpty {
            self = .asset(text)
        } else {
            self = .url(try URLArgument.parse(text))
        }
    }

    /// The argument as messages name it.
    var text: String {
        switch self {
        case .url(let url): "\(url)"
        case .id(let id): "number \(id)"
        case .asset(let name): "“\(name)”"
        }
    }
}
