/// The ASCII characters that have a meaning in playlists and URLs.
extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let numberSign: UInt8 = 0x23
    static let dollar: UInt8 = 0x24
    static let percent: UInt8 = 0x25
    static let ampersand: UInt8 = 0x26
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let minus: UInt8 = 0x2D
    static let dot: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3A
    static let lessThan: UInt8 = 0x3C
    static let equals: UInt8 = 0x3D
    static let question: UInt8 = 0x3F
    static let at: UInt8 = 0x40
    static let openBrace: UInt8 = 0x7B
    static let closeBrace: UInt8 = 0x7D

    /// Whether the byte is a space, a tab or NUL. Some servers pad bodies with NUL.
    var isBlank: Bool { self == .space || self == .tab || self == 0 }
    /// Whether the byte is a control character that playlists mustn't contain (RFC 8216bis §4.1). EXT-X-SKIP uses tabs.
    var isForbiddenControl: Bool {
        self < 0x20 && self != .lineFeed && self != .carriageReturn && self != .tab || self == 0x7F
    }
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    /// Whether the byte is an upper-case letter, a digit or a hyphen (RFC 8216bis §4.2).
    var isAttributeNameCharacter: Bool { self >= 0x41 && self <= 0x5A || isDigit || self == .minus }

    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
}
