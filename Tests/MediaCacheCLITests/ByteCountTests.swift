import MediaCache
import Testing

@testable import MediaCacheCLI

struct ByteCountTests {
    @Test(
        arguments: [
            ("0", 0), ("1500", 1500), ("10GB", 10_000_000_000), ("512MiB", 512 << 20), ("1.5 kb", 1500),
            ("2g", 2_000_000_000),
            ("1TiB", 1 << 40), ("7B", 7),
        ] as [(String, Int64)])
    func parsesSizes(text: String, bytes: Int64) throws {
        #expect(try ByteCount(parsing: text).bytes == bytes)
    }

    @Test(arguments: ["", "GB", "ten", "-1GB", "1.2.3MB", "1XB", "10 giga", "99999999999TB", "inf", "0x10"])
    func rejectsInvalidSizes(text: String) {
        #expect(throws: ArgumentTextError.self) { try ByteCount(parsing: text) }
    }

    @Test func errorContainsUnknownUnit() {
        let error = #expect(throws: ArgumentTextError.self) { try ByteCount(parsing: "10XB") }
        #expect(error?.description.contains("“XB”") == true)
        #expect(error?.description.contains("GiB") == true)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (1_500_000_000, "1.50 GB"), (9_994_999, "9.99 MB"),
            (9_995_000, "10.0 MB"), (99_950_000, "100 MB"), (999_499, "999 kB"), (999_500, "1.00 MB"),
            (.max, "9.22 EB"),
        ] as [(Int64, String)])
    func formatsThreeSignificantDigits(bytes: Int64, text: String) {
        #expect(ByteCount(bytes).description == text)
    }
}
