/// Base 64 (RFC 4648 §4), for basic authentication.
enum Base64 {
    /// `bytes` encoded, padded.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let input = Array(bytes)
        var output: [UInt8] = []
        for start in stride(from: 0, to: input.count, by: 3) {
            let group = input[start..<min(start + 3, input.count)]
            let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                let isPadding = index > group.count
                output.append(isPadding ? UInt8(ascii: "=") : alphabet[word >> (18 - 6 * index) & 63])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
