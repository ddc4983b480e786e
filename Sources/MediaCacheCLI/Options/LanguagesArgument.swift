import MediaCacheAPI
import MediaLibrary

/// The value of `--audio` and `--subs` of `get`: languages such as `de,fr?`, `all` or `none`. An absent language is an
/// error unless it ends with a question mark.
struct LanguagesArgument: Sendable, Hashable {
    var languages: StreamSelection.Languages
    /// The languages that must not be absent.
    var required: [String]

    init(_ languages: StreamSelection.Languages) {
        self.languages = languages
        required = []
    }

    init(parsing text: String) throws {
        let items = text.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
        let names = items.map { $0.hasSuffix("?") ? String($0.dropLast()) : $0 }
        languages = try TrackOptions.languages(names.joined(separator: ","))
        required = if case .some = languages { items.filter { !$0.hasSuffix("?") } } else { [] }
    }
}
