import Foundation
import Testing

/// The articles show the example's code, which `make check-apple` type-checks.
struct DocumentationTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func theArticlesShowTheExamplesCode() throws {
        let catalog = Self.package.appending(path: "Sources/MediaCacheAVFoundation/MediaCacheAVFoundation.docc")
        let articles = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let model = try String(
            contentsOf: Self.package.appending(path: "Examples/CacheAPlayer/MediaModel.swift"), encoding: .utf8)
        let snippets = model.components(separatedBy: "// snippet ").dropFirst().map { part in
            let lines = part.components(separatedBy: "\n").dropFirst().prefix { !$0.hasSuffix("// end") }
            let indent = lines.first?.prefix { $0 == " " }.count ?? 0
            return lines.map { $0.dropFirst(indent) + "\n" }.joined()
        }
        #expect(snippets.count == 10)
        for snippet in snippets { #expect(articles.contains("```swift\n" + snippet + "```"), "\(snippet)") }
    }
}
