import Testing

@testable import MediaCacheCLI

struct TextColumnsTests {
    @Test(arguments: [
        ("", 0), ("film.mp4", 8), ("…", 1), ("é", 1), ("e\u{301}", 1), ("映画", 4), ("한국", 4), ("ｆｉ", 4), ("🎬", 2),
        ("👩‍👩‍👧", 2),
        ("🇳🇴", 2), ("❤\u{FE0F}", 2), ("❤", 1),
    ])
    func countsColumns(text: String, columns: Int) { #expect(text.columns == columns) }

    @Test func doesNotCutWideCharacters() {
        #expect("映画ab".prefix(columns: 3) == "映" && "映画ab".prefix(columns: 4) == "映画")
        #expect("ab映画".suffix(columns: 3) == "画" && "ab映画".suffix(columns: 5) == "b映画")
        #expect("ab".prefix(columns: 0) == "" && "ab".suffix(columns: 0) == "" && "ab".suffix(columns: 9) == "ab")
    }

    @Test func alignsColumnsOfWideText() {
        var table = Table([.init("TITLE"), .init("SIZE")])
        table.add(["映画", "1 B"])
        table.add(["Film", "2 B"])
        #expect(table.rendered() == "TITLE  SIZE\n映画   1 B\nFilm   2 B")
    }
}
