import Foundation
import MediaCache

/// URLs as `URLSession` takes them.
enum RequestURL {
    /// The same URL, byte for byte, or with what may not stand in a URL in percent encoding (RFC 3986 §2.1).
    ///
    /// - Throws: `CacheError` with `invalidURL` for one that would be asked for as another.
    static func url(of resource: ResourceURL) throws -> URL {
        // Some systems take them out of the path on their way.
        let hasDots = resource.path.split(separator: "/").contains { $0 == "." || $0 == ".." }
        if !hasDots {
            if let url = url(resource, resource.target) { return url }
            if let target = encoded(resource.target), let url = url(resource, target) { return url }
        }
        throw CacheError(
            .invalidURL,
            "\(resource.withoutUserInfo) can't be asked for as it's written; "
                + (hasDots ? "take the dots out of its path" : "write its % as %25"))
    }

    /// The URL of a target, if the system leaves it as it is.
    private static func url(_ resource: ResourceURL, _ target: String) -> URL? {
        guard let url = URL(string: "\(resource.scheme)://\(resource.authority)\(target)") else { return nil }
        let written = url.absoluteString
        guard let authority = written.range(of: "://"),
            let start = written[authority.upperBound...].firstIndex(of: "/"), written[start...] == target
        else { return nil }
        return url
    }

    /// A target with all that may not stand in one in percent encoding; nil if a `%` in it begins no encoding.
    private static func encoded(_ target: String) -> String? {
        let bytes = Array(target.utf8)
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%") {
                guard bytes.count > index + 2, isHex(bytes[index + 1]), isHex(bytes[index + 2]) else { return nil }
                text.append("%")
            } else if isAllowed(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    private static func isHex(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

    /// Letters, digits, and what stands in paths and queries (RFC 3986 §3.3 and §3.4).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }
}
