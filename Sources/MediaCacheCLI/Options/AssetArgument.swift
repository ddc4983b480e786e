import MediaCache
import MediaLibrary

/// A resource or asset on the command line.
enum AssetArgument: Sendable, Hashable {
    case url(ResourceURL)
    /// The ID of a resource in `list --json`.
    case id(Int64)
    /// The ID or title of an asset.
    case asset(String)

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

    var url: ResourceURL? {
        if case .url(let url) = self { url } else { nil }
    }

    var text: String {
        switch self {
        case .url(let url): "\(url)"
        case .id(let id): "ID \(id)"
        case .asset(let name): "“\(name)”"
        }
    }
}
