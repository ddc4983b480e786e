import Testing

@testable import MediaCacheCLI

struct TableTests {
    @Test func alignsTextLeftAndNumbersRight() {
        var table = Table([.init("SIZE", .right), .init("URL")])
        table.add(["1 B", "a"])
        table.add(["100 MB", "bcd"])
        #expect(table.rendered() == "  SIZE  URL\n   1 B  a\n100 MB  bcd")
    }

    @Test func leavesNothingAfterTheLastCell() {
        var table = Table([.init("A"), .init("B")])
        table.add(["long cell", ""])
        table.add(["x"])
        #expect(table.rendered().split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
    }

    @Test func anEscapeSequenceInANameDoesNotReachTheTerminal() {
        var table = Table([.init("URL")])
        table.add(["http://h/\u{1B}[2Jx\r\n\u{202E}"])
        #expect(table.rendered() == "URL\nhttp://h/?[2Jx???")
        #expect(!table.rendered().contains("\u{1B}"))
    }

    @Test func withoutTitlesThereIsNoTitleRow() {
        var table = Table([.init(""), .init("", .right)])
        table.add(["kept", "5"])
        #expect(table.rendered() == "kept  5")
    }
}
