import Foundation
import Testing

@testable import MediaContainers

struct LanguageCodeTests {
    @Test(arguments: [
        (UInt16(0), "eng"), (1, "fra"), (11, "jpn"), (32, "rus"), (94, "epo"), (128, "cym"), (138, "jav"),
    ])
    func mapsQuickTimeNumbersToLanguages(number: UInt16, language: String) {
        #expect(MediaHeader.language(number) == language)
    }

    @Test(arguments: [UInt16(95), 127, 139, 0x3FF, 0x7FFF])
    func returnsNilForUnassignedNumbers(number: UInt16) {
        #expect(MediaHeader.language(number) == nil)
    }

    @Test(arguments: [
        ("en", "eng"), ("de", "deu"), ("DE", "deu"), ("pt-BR", "por"), ("pt_BR", "por"), ("zh-Hant-TW", "zho"),
        ("ger", "deu"), ("fre", "fra"), ("GER", "deu"), ("deu", "deu"), ("gsw", "gsw"), ("mul", "mul"), ("iw", "heb"),
        ("und", "und"), ("", "und"), ("e", "und"), ("xq", "und"), ("i-klingon", "und"), ("日本", "und"), ("1a", "und"),
        ("engl", "und"),
    ])
    func convertsTagsToThreeLetters(tag: String, letters: String) {
        #expect(LanguageCode.threeLetters(tag) == letters)
    }

    @Test(arguments: [
        ("en", nil), ("eng", nil), ("ger", nil), ("und", nil), ("", nil), ("pt-BR", "pt-BR"), ("de_CH", "de-CH"),
        ("i-klingon", "i-klingon"), ("en\u{0}-US", nil), ("de-ß", nil), ("en US", nil),
        ("a-" + String(repeating: "b", count: 100), nil),
    ])
    func returnsTagOnlyIfThreeLettersDoNotSuffice(tag: String, extended: String?) {
        #expect(LanguageCode.extended(tag) == extended)
    }

    @Test func convertsEveryISO6391Code() {
        let all = Locale.LanguageCode.isoLanguageCodes.filter { $0.identifier.count == 2 }
        #expect(all.count >= 180)
        for code in all {
            guard let letters = code.identifier(.alpha3) else { continue }
            #expect(LanguageCode.threeLetters(code.identifier) == letters, "\(code.identifier)")
        }
    }

    @Test func readsPackedLetters() {
        #expect(MediaHeader.language(0x15C7) == "eng")
    }
}
