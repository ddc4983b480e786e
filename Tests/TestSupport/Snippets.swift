package import Foundation

/// Code that documentation shows: of a source file, what stands between lines that end with `// snippet` and a name, and
/// `// end`.
package enum Snippets {
    /// The snippets of a file, without their indentation, as a Markdown block has them.
    package static func of(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "// snippet ").dropFirst().map { part in
            let lines = part.components(separatedBy: "\n").dropFirst().prefix { !$0.hasSuffix("// end") }
            let indent = lines.first?.prefix { $0 == " " }.count ?? 0
            return "```swift\n" + lines.map { $0.dropFirst(indent) + "\n" }.joined() + "```"
        }
    }
}
