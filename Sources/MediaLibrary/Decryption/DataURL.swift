internal import Foundation

/// A URL that is the data itself (RFC 2397), as some playlists' keys are.
enum DataURL {
    /// The bytes of `data:[<media type>][;base64],<data>`; nil for another scheme, and for what is damaged.
    static func bytes(of url: String) -> [UInt8]? {
        guard url.prefix(5).lowercased() == "data:", let comma = url.firstIndex(of: ",") else { return nil }
        let data = url[url.index(after: comma)...]
        guard let plain = percentDecoded(data) else { return nil }
        guard url[..<comma].lowercased().hasSuffix(";base64") else { return plain }
        return Data(base64Encoded: Data(plain)).map { Array($0) }
    }

    private static func percentDecoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
