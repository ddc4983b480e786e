import Foundation
import MediaCache

/// Where a command reads a playlist or a file of media.
enum InputArgument: Sendable, Hashable {
    /// An origin.
    case url(ResourceURL)
    /// A file, by its path.
    case file(String)
    /// Standard input.
    case standardInput

    /// Reads an argument: `-`, an http, https or file URL, or a path.
    ///
    /// - Throws: ``ArgumentTextError``, naming a scheme that is none of these.
    init(parsing text: String) throws {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = trimmed.firstRange(of: "://").map { trimmed[..<$0.lowerBound].lowercased() }
        switch scheme {
        case nil where trimmed.isEmpty: throw ArgumentTextError("the input is missing: a URL, a file, or -")
        case nil: self = text == "-" ? .standardInput : .file(text)
        case "file":
            guard let path = URL(string: trimmed)?.path(percentEncoded: false), !path.isEmpty else {
                throw ArgumentTextError("“\(trimmed)” names no file")
            }
            self = .file(path)
        case let scheme? where scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }):
            self = .url(try URLArgument.parse(trimmed))
        default: self = .file(text)
        }
    }

    /// What is asked for by HTTP; nil for what is read from this machine.
    var url: ResourceURL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// Whether it's asked for by HTTP.
    var isURL: Bool { url != nil }

    /// The source as messages name it.
    var name: String {
        switch self {
        case .url(let url): "\(url)"
        case .file(let path): path
        case .standardInput: "standard input"
        }
    }
}
