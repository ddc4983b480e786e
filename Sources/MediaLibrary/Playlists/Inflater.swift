import CMediaCacheShims
import Foundation
import MediaCache

/// Inflates gzip (RFC 1952) and zlib (RFC 1950) bodies, within bounds: a small body may name a huge one.
public enum Inflater {
    /// How many times its own size a body may grow to.
    public static let maximumRatio = 100

    /// A body without its content coding (RFC 9110 §8.4.1).
    ///
    /// - Parameters:
    ///   - coding: in lower case; nil for none.
    ///   - name: what messages call the body.
    /// - Throws: `CacheError` with `badResponse`, as ``inflate(_:limit:)`` does, or for a coding that isn't known.
    package static func decode(_ bytes: [UInt8], coding: String?, name: String, limit: Int) throws -> [UInt8] {
        guard let coding else { return bytes }
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else { throw CacheError(unaskedCoding: coding, of: name) }
        do {
            return try inflate(bytes, limit: limit)
        } catch let error as CacheError {
            throw CacheError(error.code, "\(name): \(error.message)")
        }
    }

    /// The inflated bytes.
    ///
    /// - Parameters:
    ///   - compressed: a whole gzip or zlib stream.
    ///   - limit: the most bytes to give back; at most ``maximumRatio`` times the compressed ones come in any case.
    /// - Throws: `CacheError` with `badResponse` if it's damaged, cut short, or too large.
    public static func inflate(_ compressed: [UInt8], limit: Int) throws -> [UInt8] {
        let most = min(limit, max(4096, compressed.count * maximumRatio))
        // Most playlists shrink to a tenth; the rest take another turn with more room.
        var capacity = min(most, compressed.count * 12 + 4096)
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                let inflated = compressed.withUnsafeBytes {
                    mc_inflate($0.baseAddress, $0.count, output.baseAddress, output.count)
                }
                failure = inflated < 0 ? errno : 0
                count = max(0, inflated)
            }
            switch failure {
            case 0: return bytes
            case EFBIG where capacity < most: capacity = most
            case EFBIG: throw CacheError(.badResponse, "the compressed body holds more than \(most) bytes")
            default: throw CacheError(.badResponse, "the compressed body is damaged or cut short")
            }
        }
    }
}
