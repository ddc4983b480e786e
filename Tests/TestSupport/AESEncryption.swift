internal import CMediaCacheShims

/// Encrypts a segment with AES, in CBC mode with PKCS #7 padding (RFC 8216bis §4.4.4.4) or in counter mode without
/// padding. The key must have 16 or 32 bytes, and the vector or first counter 16 bytes.
package func encryptAES(
    _ bytes: some Sequence<UInt8>, key: [UInt8], vector: [UInt8], inCounterMode: Bool = false
) -> [UInt8] {
    precondition(vector.count == 16, "the vector has a wrong length")
    var input = Array(bytes)
    if !inCounterMode {
        let padding = 16 - input.count % 16
        input += [UInt8](repeating: UInt8(padding), count: padding)
    }
    var output = [UInt8](repeating: 0, count: input.count)
    let isEncrypted = mc_aes(
        inCounterMode ? mc_aes_ctr : mc_aes_cbc, 1, key, key.count, vector, input, input.count, &output)
    precondition(isEncrypted == 1, "AES encryption failed; the key must have 16 or 32 bytes")
    return output
}
