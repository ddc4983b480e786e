import Foundation
import MediaCache

/// The conversion of resource URLs to URLs for `URLSession`.
enum RequestURL {
    /// Returns a resource's URL without user information. Characters that aren't allowed in URLs are percent-encoded
    /// (RFC 3986 §2.1).
    ///
    /// - Throws: `CacheError` with `invalidURL` if the system would send a different URL.
    static func url(of resource: ResourceURL) throws -> URL {
        // Some versions of Foundation remove dot segments.
        let hasDots = resource.path.split(separator: "/").contains { $0 == "." || $0 == ".." }
        if !hasDots {
            if let url = url(resource, resource.target) { return url }
            if let target = encoded(resource.target), let url = url(resource, target) { return url }
        }
        throw CacheError(
            .invalidURL,
            "URLSession can't send \(resource.withoutUserInfo) unchanged; "
                + (hasDots ? "remove the dot segments from its path" : "write its % as %25"))
    }

    /// Returns the URL with the given target; nil if the system would change the target.
    private static func url(_ resource: ResourceURL, _ target: String) -> URL? {
        guard let url = URL(string: "\(resource.scheme)://\(resource.authority)\(target)") else { return nil }
        let written = url.absoluteString
        guard let authority = written.range(of: "://"),
            let start = written[authority.upperBound...].firstIndex(of: "/"), written[start...] == target
        else { return nil }
        return url
    }

    /// Percent-encodes disallowed characters of a target. Returns nil if it contains a `%` without two hexadecimal
    /// digits.
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

    /// Returns whether a character is allowed in paths and queries (RFC 3986 §3.3 and §3.4).
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }
}
