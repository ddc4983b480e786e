import CMediaCacheShims

/// CRC-32C (Castagnoli), by the processor's instruction where it has one.
package enum CRC32C {
    /// The checksum of `bytes` appended to what `crc` covers.
    package static func extend(_ crc: UInt32 = 0, with bytes: UnsafeRawBufferPointer) -> UInt32 {
        mc_crc32c(crc, bytes.baseAddress, bytes.count)
    }

    /// The checksum of two runs put together, from the checksum of each and the second's length in bytes.
    package static func combine(_ first: UInt32, _ second: UInt32, secondCount: Int) -> UInt32 {
        mc_crc32c_combine(first, second, UInt64(secondCount))
    }
}
