import Foundation
import MediaCache
import TestSupport
import Testing

struct DocumentationTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let article = tests.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/MediaCache/MediaCache.docc/Transforms.md")

    @Test func showsCodeThatCompiles() throws {
        let article = try String(contentsOf: Self.article, encoding: .utf8)
        let snippets = try Snippets.of(Self.tests.appending(path: "DocumentationExamples.swift"))
        #expect(snippets.count == 2)
        for snippet in snippets { #expect(article.contains(snippet), "\(snippet)") }
    }

    @Test func showsCodeThatWorks() {
        let location = CacheLocation(folder: "/nowhere")
        #expect(DocumentationExamples.transform(location).transforms.map(\.name) == ["scrambled-1", "marked-1"])
        #expect(DocumentationExamples.observe(location) { _ in }.observers.first?.kinds == [.segment])
    }
}
