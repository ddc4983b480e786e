import Testing

@testable import MediaCacheCLI

struct TableTests {
    @Test func alignsTextLeftAndNumbersRight() {
        var table = Table([.init("SIZE", .right), .init("URL")])
        table.add(["1 B", "a"])
        table.add(["100 MB", "bcd"])
        #expect(table.rendered() == "  SIZE  URL\n   1 B  a\n100 MB  bcd")
    }

    @Test func trimsTrailingBlanks() {
        var table = Table([.init("A"), .init("B")])
        table.add(["long cell", ""])
        table.add(["x"])
        #expect(table.rendered().split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
    }

    @Test func replacesEscapeSequences() {
        var table = Table([.init("URL")])
        table.add(["http://h/\u{1B}[2Jx\r\n\u{202E}"])
        #expect(table.rendered() == "URL\nhttp://h/?[2Jx???")
        #expect(!table.rendered().contains("\u{1B}"))
    }

    /// The escape sequences of colors don't count as columns.
    @Test func alignsColoredCells() {
        var table = Table([.init("STATE"), .init("SIZE", .right), .init("")])
        table.add(["failed", "1 B", "why"], colors: [0: .red, 1: nil])
        table.add(["ok", "10 B", ""], colors: [0: .green])
        let plain = "STATE   SIZE\nfailed   1 B  why\nok      10 B"
        #expect(table.rendered() == plain)
        let colored = table.rendered(TextStyle(isColored: true))
        #expect(colored.contains("\u{1B}[31mfailed\u{1B}[0m   1 B  why"))
        #expect(colored.replacing(#/\u{1B}\[\d+m/#, with: "") == plain)
    }

    @Test func omitsRowOfEmptyHeadings() {
        var table = Table([.init(""), .init("", .right)])
        table.add(["cached", "5"])
        #expect(table.rendered() == "cached  5")
    }
}
