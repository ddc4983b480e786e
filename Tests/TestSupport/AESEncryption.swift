internal import CMediaCacheShims

/// Encrypts a segment as HLS servers do (RFC 8216bis §4.4.4.4): with AES in CBC mode and PKCS #7 padding, or in counter
/// mode without padding. Stops the process if the key or the vector has another length.
///
/// - Parameters:
///   - key: 16 or 32 bytes.
///   - vector: The initialization vector or the first counter, 16 bytes.
package func encryptAES(
    _ bytes: some Sequence<UInt8>, key: [UInt8], vector: [UInt8], inCounterMode: Bool = false
) -> [UInt8] {
    var input = Array(bytes)
    if !inCounterMode {
        let padding = 16 - input.count % 16
        input += [UInt8](repeating: UInt8(padding), count: padding)
    }
    var output = [UInt8](repeating: 0, count: input.count)
    let isEncrypted = mc_aes(
        inCounterMode ? mc_aes_ctr : mc_aes_cbc, 1, key, key.count, vector, input, input.count, &output)
    precondition(isEncrypted == 1, "the key or the vector has a wrong length")
    return output
}
