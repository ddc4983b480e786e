import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The input of a command: a playlist or a media file.
enum InputArgument: Sendable, Hashable {
    case url(ResourceURL)
    /// An item of the library, by its ID or title.
    case item(AssetReference)
    /// The path of a file.
    case file(String)
    case standardInput

    /// Parses `-`, an http, https or file URL, a path, or the ID or title of an item. A file takes precedence over an
    /// item of the same name.
    init(parsing text: String) throws {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = trimmed.firstRange(of: "://").map { trimmed[..<$0.lowerBound].lowercased() }
        switch scheme {
        case nil where trimmed.isEmpty: throw ArgumentTextError("the input is missing; specify a URL, a file, or -")
        case nil where text == "-": self = .standardInput
        case nil where Self.isItemName(trimmed) && !FileManager.default.fileExists(atPath: text):
            self = .item(try AssetReference(parsing: trimmed))
        case nil: self = .file(text)
        case "file":
            guard let path = URL(string: trimmed)?.path(percentEncoded: false), !path.isEmpty else {
                throw ArgumentTextError("“\(trimmed)” isn't a valid file URL; write it as file:///path/to/file")
            }
            self = .file(path)
        case let scheme? where scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }):
            self = .url(try URLArgument.parse(trimmed))
        default: self = .file(text)
        }
    }

    /// Returns whether a text can name an item rather than a file that doesn't exist: it has neither the beginning of a
    /// path nor the extension of a file, such as `.mp4`.
    private static func isItemName(_ text: String) -> Bool {
        guard !["/", "./", "../", "~"].contains(where: { text.hasPrefix($0) }) else { return false }
        guard let dot = text.lastIndex(of: ".") else { return true }
        let suffix = text[text.index(after: dot)...]
        let isExtension =
            (2...4).contains(suffix.count) && suffix.contains(where: \.isLowercase)
            && suffix.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) }
        return !isExtension
    }

    var url: ResourceURL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// The reference of a URL or an item; nil for a file and for standard input.
    var reference: AssetReference? {
        switch self {
        case .url(let url): .url(url)
        case .item(let reference): reference
        case .file, .standardInput: nil
        }
    }

    /// Returns the input of a job.
    ///
    /// - Parameter client: The client of the cache; nil for a file.
    func mediaInput(_ client: APIClient?) async throws -> MediaInput {
        switch self {
        case .url(let url): return .url(url)
        case .file(let path): return .file(path)
        case .item(let reference):
            guard let client, try await client.itemIfFound(reference) != nil else {
                throw CommandFailure(
                    .failed, "\(name) is neither a file nor the ID or title of an item; `mediacache list` shows them")
            }
            return try await client.mediaInput(of: reference)
        case .standardInput:
            throw CommandFailure(.usage, "standard input doesn't support random access; specify a file or a URL")
        }
    }

    var name: String {
        switch self {
        case .url(let url): "\(url)"
        case .item(let reference): reference.text
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}
