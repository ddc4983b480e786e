extension PlaylistTag {
    /// The tags by the length of their names: one comparison of bytes settles most lookups.
    private static let byLength: [[(name: [UInt8], tag: PlaylistTag)]] = {
        let names = allCases.map { (name: Array($0.rawValue.utf8), tag: $0) }
        let longest = names.map(\.name.count).max() ?? 0
        return (0...longest).map { length in names.filter { $0.name.count == length } }
    }()

    /// The tag with a name, given as bytes without the number sign.
    init?(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) {
        guard name.count < PlaylistTag.byLength.count else { return nil }
        for candidate in PlaylistTag.byLength[name.count] {
            if candidate.name.elementsEqual(bytes[name]) {
                self = candidate.tag
                return
            }
        }
        return nil
    }

    /// Where the tag may stand (RFC 8216bis, sections 4.4.2 to 4.4.6).
    var scope: Scope {
        switch self {
        case .header, .version, .independentSegments, .start, .define: .both
        case .media, .streamInformation, .iFrameStreamInformation, .sessionData, .sessionKey, .contentSteering:
            .multivariant
        default: .media
        }
    }

    enum Scope {
        case both
        case media
        case multivariant
    }
}
