import Foundation

/// The path of an output with fields such as `%(title)s`, as in yt-dlp.
struct OutputTemplate: Sendable, Hashable {
    /// The value of each field for a download.
    struct Values: Sendable, Hashable {
        var title: String
        /// The extension without its dot.
        var suffix: String
        /// The ID of the download; before the download, a placeholder.
        var id: String
        /// The name of the origin's host.
        var host: String
        /// The position of the URL in the command, from 1.
        var index: Int

        fileprivate subscript(field: String) -> String? {
            switch field {
            case "title": title
            case "ext": suffix
            case "id": id
            case "host": host
            case "index": "\(index)"
            default: nil
            }
        }
    }

    static let fields = ["title", "ext", "id", "host", "index"]

    private enum Piece: Sendable, Hashable {
        case text(String)
        case field(String)
    }

    private let pieces: [Piece]

    /// Parses a path.
    ///
    /// - Returns: Nil for a path without fields.
    /// - Throws: ``ArgumentTextError`` for an unknown or incomplete field.
    init?(parsing text: String) throws {
        guard text.contains("%(") else { return nil }
        var pieces: [Piece] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "%(") {
            pieces.append(.text(String(rest[..<start.lowerBound])))
            guard let end = rest[start.upperBound...].firstRange(of: ")s") else {
                throw ArgumentTextError("“\(text)” has an incomplete field; write fields as %(title)s")
            }
            let field = String(rest[start.upperBound..<end.lowerBound])
            guard Self.fields.contains(field) else {
                let known = Self.fields.map { "%(\($0))s" }.joined(separator: ", ")
                throw ArgumentTextError("“%(\(field))s” is not a field of an output; the fields are \(known)")
            }
            pieces.append(.field(field))
            rest = rest[end.upperBound...]
        }
        pieces.append(.text(String(rest)))
        self.pieces = pieces
    }

    /// Whether the path contains the ID of the download.
    var hasID: Bool {
        pieces.contains { piece in
            if case .field("id") = piece { true } else { false }
        }
    }

    /// Returns the path of a download. Path separators in the values are replaced, and an empty value becomes `_`, so
    /// that the values can't make the path absolute.
    func path(_ values: Values) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): return text
            case .field(let field):
                let name = OutputPath.safeName(values[field] ?? "")
                return name.isEmpty ? "_" : name
            }
        }.joined()
    }
}
