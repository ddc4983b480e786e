import Foundation
import Testing

/// A stream of the corpora whose segments another program has encrypted as a whole (RFC 8216bis, 4.4.4.4).
struct EncryptedStream: Sendable, CustomTestStringConvertible {
    static let playlist = "index.m3u8"
    private static let key = "000102030405060708090a0b0c0d0e0ff0e0d0c0b0a090807060504030201000"

    var clear: ExportedStream
    /// `AES-256` or `AES-256-CTR`.
    var method: String
    /// Whether the tag has an IV attribute. Otherwise the initialization vector is the media sequence number.
    var hasIVAttribute: Bool

    var testDescription: String { "\(method) of \(clear.playlist)\(hasIVAttribute ? ", with IV" : "")" }

    static let all = [
        "shaka-player/hls-ts-muxed-aac-h264/chunk.m3u8", "shaka-player/hls-chapters/media.m3u8",
    ].flatMap { path in
        ["AES-256", "AES-256-CTR"].map { method in
            // The IV attribute is required for encrypted media initialization sections (4.4.4.5).
            EncryptedStream(
                clear: ExportedStream(playlist: path, parts: [path]), method: method,
                hasIVAttribute: method == "AES-256" || path.contains("chapters"))
        }
    }

    func make(in folder: String) async throws {
        let vector = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
        var bytes: [UInt8] = []
        for offset in stride(from: 0, to: Self.key.count, by: 2) {
            bytes.append(UInt8(Self.key.dropFirst(offset).prefix(2), radix: 16) ?? 0)
        }
        try Data(bytes).write(to: URL(filePath: "\(folder)/key.bin"))
        let source = (StreamCorpus.root + "/" + clear.playlist as NSString).deletingLastPathComponent
        var lines: [String] = []
        var number = 0
        let tag = "#EXT-X-KEY:METHOD=\(method),URI=\"key.bin\"" + (hasIVAttribute ? ",IV=0x\(vector)" : "")
        for line in try String(contentsOfFile: "\(StreamCorpus.root)/\(clear.playlist)", encoding: .utf8)
            .split(whereSeparator: \.isNewline)
        {
            // The media sequence number as a big-endian vector of 128 bits.
            let own = String(number, radix: 16)
            let counted = String(repeating: "0", count: 32 - own.count) + own
            var name: String?
            if line.hasPrefix("#EXT-X-MAP") {
                name = line.split(separator: "\"").dropFirst().first.map(String.init)
            } else if !line.hasPrefix("#") {
                name = String(line)
                number += 1
            }
            if let name {
                let cipher = method == "AES-256" ? "-aes-256-cbc" : "-aes-256-ctr"
                try await Peer.run(
                    "openssl",
                    ["enc", cipher, "-K", Self.key, "-iv", hasIVAttribute ? vector : counted]
                        + ["-in", "\(source)/\(name)", "-out", "\(folder)/\(name)"])
            }
            lines.append(String(line))
            if line == "#EXTM3U" { lines.append(tag) }
        }
        try lines.joined(separator: "\n").write(toFile: "\(folder)/\(Self.playlist)", atomically: true, encoding: .utf8)
    }
}
