package import Foundation

/// The code quoted in documentation: the lines of a source file between `// snippet NAME` and `// end`.
package enum Snippets {
    /// Returns a file's snippets as Markdown code blocks, without their indentation.
    package static func of(_ file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "// snippet ").dropFirst().map { part in
            let lines = part.components(separatedBy: "\n").dropFirst().prefix { !$0.hasSuffix("// end") }
            let indent = lines.first?.prefix { $0 == " " }.count ?? 0
            return "```swift\n" + lines.map { $0.dropFirst(indent) + "\n" }.joined() + "```"
        }
    }
}
