import HLS
import Testing

struct ValueTests {
    @Test func parsesByteRanges() {
        #expect(ByteRange("10@5") == ByteRange(length: 10, offset: 5))
        #expect(ByteRange("10") == ByteRange(length: 10))
        #expect(ByteRange("10@") == ByteRange(length: 10))
        #expect(ByteRange("10@5")?.end == 15)
        #expect(ByteRange(length: .max, offset: 1).end == nil)
        for text in ["", "@5", "-1@0", "1@-1", "1.5@0", "a", "1@b", "1@2x"] {
            #expect(ByteRange(text) == nil, "\(text)")
        }
    }

    @Test func parsesResolutions() {
        #expect(Resolution("1920x1080") == Resolution(width: 1920, height: 1080))
        #expect(Resolution("1920X1080")?.description == "1920x1080")
        for text in ["", "1920", "x", "1x2x3", "-1x1", "ax1", "+1280x+720", "1280x+720", "-0x0"] {
            #expect(Resolution(text) == nil, "\(text)")
        }
    }

    @Test func parsesHexadecimalSequences() {
        #expect(HexadecimalSequence("0x0aFF")?.bytes == [0x0A, 0xFF])
        #expect(HexadecimalSequence("0X123")?.bytes == [0x01, 0x23])
        #expect(HexadecimalSequence(bytes: [1, 0xAB]).description == "0x01AB")
        for text in ["", "0x", "12", "0xG1"] { #expect(HexadecimalSequence(text) == nil, "\(text)") }
    }

    @Test func removesForbiddenCharactersFromAttributeValues() {
        #expect(AttributeValue.quoted("a\"b\nc").description == "\"abc\"")
        #expect(AttributeValue.unquoted("a, b").description == "ab")
    }
}
