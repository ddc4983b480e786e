import Foundation
import MediaCache
import TestSupport
import Testing

struct DocumentationTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let catalog = tests.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/MediaCache/MediaCache.docc")

    @Test func articlesContainCompiledCode() throws {
        let text = try FileManager.default.contentsOfDirectory(at: Self.catalog, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
        let snippets = try Snippets.of(Self.tests.appending(path: "DocumentationExamples.swift"))
        for snippet in snippets { #expect(text.contains(snippet), "\(snippet)") }
        #expect(text.components(separatedBy: "```swift").count - 1 == snippets.count)
    }

    @Test func examplesWork() {
        let location = CacheLocation(folder: "/nowhere")
        #expect(DocumentationExamples.transform(location).transforms.map(\.name) == ["scrambled-1", "marked-1"])
        #expect(DocumentationExamples.observe(location) { _ in }.observers.first?.kinds == [.segment])
    }

    @Test func exampleKeysAreCorrect() throws {
        let location = CacheLocation(folder: "/nowhere")
        let signed = try ResourceURL("https://h/film.mp4?token=1&quality=high&signature=2")
        let dropping = DocumentationExamples.dropQueryItems(location).keyPolicy
        #expect(dropping.key(for: signed) == "https://h/film.mp4?quality=high")
        let mirrors = DocumentationExamples.joinMirrors(location).keyPolicy
        let (first, ninth) = (
            try ResourceURL("https://edge-1.example.org/a.mp4"), try ResourceURL("https://edge-9.example.org/a.mp4")
        )
        #expect(mirrors.key(for: first) == mirrors.key(for: ninth))
        #expect(mirrors.key(for: signed) == signed.description)
    }
}
