import MediaCache
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The `Date` field (RFC 9110 §6.6.1), written once a second.
enum DateHeader {
    private static let cached = Mutex<(second: Int64, text: String)>((-1, ""))

    /// The value for now.
    static var current: String {
        let second = Int64(time(nil))
        return cached.withLock { cached in
            if cached.second != second { cached = (second, HTTPDate.format(second)) }
            return cached.text
        }
    }
}
