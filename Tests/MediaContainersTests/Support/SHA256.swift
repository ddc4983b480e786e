import CMediaCacheShims

/// SHA-256 (FIPS 180-4), for comparing files with the hashes of the oracles.
enum SHA256 {
    static func hex(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        mc_sha256(bytes, bytes.count, &digest)
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
