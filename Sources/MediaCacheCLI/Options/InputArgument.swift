import Foundation
import MediaCache
import MediaLibrary

/// The input of a command: a playlist or a media file.
enum InputArgument: Sendable, Hashable {
    case url(ResourceURL)
    /// The path of a file.
    case file(String)
    case standardInput

    /// Parses `-`, an http, https or file URL, or a path.
    init(parsing text: String) throws {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = trimmed.firstRange(of: "://").map { trimmed[..<$0.lowerBound].lowercased() }
        switch scheme {
        case nil where trimmed.isEmpty: throw ArgumentTextError("the input is missing; specify a URL, a file, or -")
        case nil: self = text == "-" ? .standardInput : .file(text)
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

    var url: ResourceURL? {
        if case .url(let url) = self { url } else { nil }
    }

    var isURL: Bool { url != nil }

    var mediaInput: MediaInput {
        get throws {
            switch self {
            case .url(let url): return .url(url)
            case .file(let path): return .file(path)
            case .standardInput:
                throw CommandFailure(
                    .usage, "standard input doesn't support random access; specify a file or a URL")
            }
        }
    }

    var name: String {
        switch self {
        case .url(let url): "\(url)"
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}
