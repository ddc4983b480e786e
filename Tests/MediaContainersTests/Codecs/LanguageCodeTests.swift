import Testing

@testable import MediaContainers

/// Languages of MP4 and QuickTime.
struct LanguageCodeTests {
    @Test(arguments: [
        (UInt16(0), "eng"), (1, "fra"), (11, "jpn"), (32, "rus"), (94, "epo"), (128, "cym"), (138, "jav"),
    ])
    func numbersOfQuickTimeAreLanguages(number: UInt16, language: String) {
        #expect(MediaHeader.language(number) == language)
    }

    @Test(arguments: [UInt16(95), 127, 139, 0x3FF, 0x7FFF])
    func othersAreNone(number: UInt16) {
        #expect(MediaHeader.language(number) == nil)
    }

    @Test func lettersAreRead() {
        #expect(MediaHeader.language(0x15C7) == "eng")
    }
}
