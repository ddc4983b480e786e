import Foundation
import TestSupport
import Testing

struct DocumentationTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func articlesQuoteExampleCode() throws {
        let catalog = Self.package.appending(path: "Sources/MediaCacheAVFoundation/MediaCacheAVFoundation.docc")
        let articles = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let example = Self.package.appending(path: "Examples/CacheAPlayer/CacheAPlayer")
        let snippets = try ["MediaModel.swift", "CacheAPlayerApp.swift"].flatMap {
            try Snippets.of(example.appending(path: $0))
        }
        #expect(snippets.count == 20)
        for snippet in snippets { #expect(articles.contains(snippet), "\(snippet)") }
    }
}
