import CMediaCacheShims
import Foundation
import HLS
import MediaCache

/// Decompression of gzip (RFC 1952) and zlib (RFC 1950) bodies, limited because a small body may expand to a huge one.
public enum Inflater {
    /// The maximum ratio of decompressed to compressed size. Up to 4 KiB of decompressed bytes are permitted at any
    /// ratio.
    public static let maximumRatio = 100

    /// Returns a body without its content coding (RFC 9110 §8.4.1).
    ///
    /// - Parameters:
    ///   - coding: The content coding in lower case; nil for none.
    ///   - limit: The maximum number of decompressed bytes. A body without a coding isn't limited.
    /// - Throws: `CacheError` with `badResponse`, also for an unknown coding.
    package static func decode(_ bytes: [UInt8], coding: String?, name: String, limit: Int) throws -> [UInt8] {
        guard let coding else { return bytes }
        guard ["gzip", "x-gzip", "deflate"].contains(coding) else {
            throw CacheError(unrequestedCoding: coding, of: name)
        }
        do {
            return try inflate(bytes, limit: limit)
        } catch let error as CacheError {
            throw CacheError(error.code, "\(name): \(error.message)")
        }
    }

    /// Returns decompressed bytes.
    ///
    /// - Parameters:
    ///   - compressed: A complete gzip or zlib stream.
    ///   - limit: The maximum number of decompressed bytes. ``maximumRatio`` may lower it.
    /// - Throws: `CacheError` with `badResponse` if the stream is damaged, incomplete or too large.
    public static func inflate(_ compressed: [UInt8], limit: Int) throws -> [UInt8] {
        do throws(PlaylistError) {
            return try inflatePlaylist(compressed, limit: limit)
        } catch {
            guard case .playlistTooLong(let maximum) = error else {
                throw CacheError(.badResponse, "the compressed body is damaged or truncated")
            }
            throw CacheError(.badResponse, "the compressed body expands to more than \(maximum) bytes")
        }
    }

    /// Returns a decompressed playlist, for `PlaylistParser`. Throws `playlistTooLong` or `notInflated`.
    static func inflatePlaylist(_ compressed: [UInt8], limit: Int) throws(PlaylistError) -> [UInt8] {
        let maximum = min(limit, max(4096, compressed.count * maximumRatio))
        // Most playlists compress to a tenth. Others need another attempt with a larger buffer.
        var capacity = min(maximum, compressed.count * 12 + 4096)
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                let inflated = compressed.withUnsafeBytes {
                    mc_inflate($0.baseAddress, $0.count, output.baseAddress, output.count)
                }
                failure = inflated < 0 ? errno : 0
                count = max(0, inflated)
            }
            if failure == 0 { return bytes }
            guard failure == EFBIG else { throw .notInflated }
            guard capacity < maximum else { throw .playlistTooLong(limit: maximum) }
            capacity = maximum
        }
    }
}
