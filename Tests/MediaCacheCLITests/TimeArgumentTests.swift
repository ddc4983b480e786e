import MediaCacheAPI
import Testing

@testable import MediaCacheCLI

struct TimeArgumentTests {
    @Test(arguments: [
        ("0", 0.0), ("754.5", 754.5), ("12:34.5", 754.5), ("1:02:03", 3723), ("12m34s", 754), ("90s", 90),
        ("90:00", 5400),
    ])
    func parsesPositions(text: String, seconds: Double) throws {
        #expect(try TimeArgument.parse(text) == seconds)
    }

    @Test(arguments: ["", "-1", "1:75", "1:2:3:4", "1.5:00", "soon", ":", "1e12"])
    func rejectsInvalidPositions(text: String) {
        #expect(throws: ArgumentTextError.self) { try TimeArgument.parse(text) }
    }

    @Test func parsesAssets() throws {
        #expect(try AssetReference(parsing: " 17 ") == .id(17))
        #expect(try AssetReference(parsing: "http://h/17") == .url(URLArgument.parse("http://h/17")))
        #expect(try AssetReference(parsing: "Alien: Covenant") == .asset("Alien: Covenant"))
        for text in ["ftp://h/17", "http:/h", ""] {
            #expect(throws: ArgumentTextError.self) { try AssetReference(parsing: text) }
        }
    }
}
