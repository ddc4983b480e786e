import MediaCache

/// Something kept, as commands name it: by its URL, or by its number in `list --json`.
enum AssetArgument: Sendable, Hashable {
    /// By its URL.
    case url(ResourceURL)
    /// By its number.
    case id(Int64)

    /// Reads a URL or a number.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        let trimmed = text.filter { !$0.isWhitespace }
        if !trimmed.isEmpty, trimmed.allSatisfy({ $0.isASCII && $0.isNumber }), let id = Int64(trimmed) {
            self = .id(id)
        } else {
            self = .url(try URLArgument.parse(text))
        }
    }
}
