import Foundation

/// Files of seeded random bytes, with a generator that is fast even in a debug build.
enum RandomFile {
    /// Writes a file of `bytes` bytes, a multiple of 8.
    static func write(bytes: Int, seed: UInt64, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw HarnessError("\(path) can't be created: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let words = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 128 << 10)
        defer { words.deallocate() }
        var state = seed | 1
        var left = bytes
        while left > 0 {
            var index = 0
            while index < words.count {
                // xorshift64
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                words[index] = state
                index += 1
            }
            let count = Foundation.write(descriptor, words.baseAddress, min(left, words.count * 8))
            guard count > 0 else { throw HarnessError("\(path): \(String(cString: strerror(errno)))") }
            left -= count
        }
    }
}
