import Testing

@testable import MediaLibrary

struct URIListTests {
    @Test func storesAllURIs() {
        let long = String(repeating: "l", count: 300)
        var texts = (0..<100).map { "segment\($0 * 7).ts" }
        texts += ["", "", "é", "ê", long, long + "1", long + long, "x", String(repeating: "y", count: 255)]
        texts += (0..<40).map { String(repeating: "z", count: 240 + $0) }
        var list = URIList()
        for text in texts where !list.append(text) { Issue.record("no room") }
        #expect(list.count == texts.count)
        for (index, text) in texts.enumerated() { #expect(list[index] == text) }
    }
}
