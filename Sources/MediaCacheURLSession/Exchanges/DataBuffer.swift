import Foundation
import MediaCache

/// Bytes as the session gave them.
struct DataBuffer: OriginBuffer {
    let data: Data

    var count: Int { data.count }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try data.withUnsafeBytes(body)
    }
}
