import Foundation
import MediaCache
import Testing

struct HTTPDateTests {
    @Test func writesTheStandardsExample() {
        #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func readsTheThreeForms(_ text: String) {
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test func readsWhatItWrites() {
        for second in stride(from: Int64(-3_000_000_000), to: 10_000_000_000, by: 98_765_431) {
            #expect(HTTPDate.parse(HTTPDate.format(second))?.timeIntervalSince1970 == Double(second))
        }
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 06 Nov 1994", "Sun, 06 Foo 1994 08:49:37 GMT", "0",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT <script>",
    ])
    func refusesWhatIsNoDate(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 <b>", " Sun, 6 Nov 1994 08:49:37",
    ])
    func rewritesDatesInThePreferredForm(_ text: String) {
        #expect(HTTPDate.canonical(text) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(arguments: ["Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 29:49:37 GMT", "\u{1}", "Sun,"])
    func dropsWhatIsNoDate(_ text: String) {
        #expect(HTTPDate.canonical(text) == nil)
    }
}
