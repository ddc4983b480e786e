import HLS
import Testing

struct DecimalValueTests {
    @Test(arguments: [
        "0", "10", "10.000", "9.009", "-1.5", "0.05", "-0.001", "9223372036854775807", "0.000000000000000001",
    ])
    func preservesDigits(_ text: String) {
        #expect(DecimalValue(text)?.description == text)
    }

    @Test func parsesOtherForms() {
        #expect(DecimalValue(".5")?.description == "0.5")
        #expect(DecimalValue("10.")?.description == "10")
        #expect(DecimalValue("+3")?.description == "3")
        #expect(DecimalValue("0.1234567890123456789")?.description == "0.123456789012345678")
        for text in ["", ".", "-", "x", "1x", "1e3", "9223372036854775808"] {
            #expect(DecimalValue(text) == nil, "\(text)")
        }
    }

    @Test func comparesByValue() {
        let ten = DecimalValue(10)
        #expect(ten == DecimalValue("10.000"))
        #expect(ten.hashValue == DecimalValue("10.000")?.hashValue)
        #expect(DecimalValue(Int.min) < DecimalValue(Int.max))
        #expect(DecimalValue(significand: 99, fractionDigits: 1) < ten)
    }

    @Test func roundsAndConverts() {
        #expect(DecimalValue("8.5")?.rounded == 9)
        #expect(DecimalValue("8.499")?.rounded == 8)
        #expect(DecimalValue("-8.5")?.rounded == -9)
        #expect(DecimalValue("8.01")?.roundedUp == 9)
        #expect(DecimalValue("-8.9")?.roundedUp == -8)
        #expect(DecimalValue("9.009")?.nanoseconds == 9_009_000_000)
        #expect(DecimalValue("0.0000000005")?.nanoseconds == 1)
        #expect(DecimalValue(Int.max).nanoseconds == .max)
        #expect(DecimalValue("9.009")?.doubleValue == 9.009)
        #expect(DecimalValue(nanoseconds: 9_009_000_000).description == "9.009")
        #expect(DecimalValue(nanoseconds: 0).description == "0")
    }
}
