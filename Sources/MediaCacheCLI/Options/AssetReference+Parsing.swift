import MediaCacheAPI
import MediaLibrary

extension AssetReference {
    /// Parses an argument: a URL, the ID of a resource, or the ID or title of an asset.
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
}
