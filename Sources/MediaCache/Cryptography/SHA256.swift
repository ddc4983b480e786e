internal import CMediaCacheShims

/// The hash function SHA-256 (FIPS 180-4), computed by the system's library.
package enum SHA256 {
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            if let digest = digest.baseAddress { mc_sha256(bytes.baseAddress, bytes.count, digest) }
            count = 32
        }
    }

    /// Returns the 32-byte message authentication code HMAC-SHA-256 (RFC 2104) of a text.
    package static func authenticationCode(of text: String, key: [UInt8]) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [UInt8](unsafeUninitializedCapacity: 32) { code, count in
            if let code = code.baseAddress { mc_hmac_sha256(key, key.count, bytes, bytes.count, code) }
            count = 32
        }
    }
}
