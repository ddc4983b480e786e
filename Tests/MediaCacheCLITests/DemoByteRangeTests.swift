import Testing

@testable import MediaCacheCLI

struct DemoByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-5", .part(95..<100)),
            ("bytes=-500", .part(0..<100)), ("bytes=50-500", .part(50..<100)), ("bytes=100-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=9-0", .whole), ("bytes=0-1,5-6", .whole), ("items=0-1", .whole),
            ("bytes=a-b", .whole), ("bytes=-", .whole), ("bytes=99999999999999999999-", .whole),
        ] as [(String, DemoByteRange)])
    func parsesOneRange(value: String, range: DemoByteRange) {
        #expect(DemoByteRange(value, length: 100) == range)
    }

    @Test func absentFieldIsWholeClip() {
        #expect(DemoByteRange(nil, length: 100) == .whole)
    }
}
