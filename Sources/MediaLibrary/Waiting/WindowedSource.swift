package import MediaContainers

/// A byte source that fetches ranges of a resource on demand, and buffers the last one. It must be used by a single
/// thread. Reads block during a fetch.
package final class WindowedSource: ByteSource {
    /// The minimum and maximum length of a fetched range, in bytes. A range has the minimum length after a seek, and
    /// twice the previous length after a sequential read. It's longer if the read needs more bytes.
    private static let minimumLength: Int64 = 32 << 10
    private static let maximumLength: Int64 = 1 << 20

    package let length: Int64
    private let fetch: (Range<Int64>) throws(ContainerError) -> [UInt8]
    private var window: [UInt8]
    private var windowStart: Int64
    private var step = minimumLength

    /// Creates a source, optionally with bytes that are already available.
    ///
    /// - Parameter fetch: Returns the bytes of a range inside the resource, or at least the first of them. If it
    ///   returns none, the read fails with `inputOutput`, because the resource must have changed.
    package init(
        length: Int64, window: [UInt8] = [], at windowStart: Int64 = 0,
        fetch: @escaping (Range<Int64>) throws(ContainerError) -> [UInt8]
    ) {
        self.length = length
        self.window = window
        self.windowStart = windowStart
        self.fetch = fetch
    }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        var done = 0
        while done < buffer.count, offset + Int64(done) < length {
            let position = offset + Int64(done)
            let windowEnd = windowStart + Int64(window.count)
            guard position >= windowStart, position < windowEnd else {
                try move(to: position, needed: Int64(buffer.count - done))
                continue
            }
            let count = min(buffer.count - done, Int(windowEnd - position))
            let start = Int(position - windowStart)
            window.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
            }
            done += count
        }
        return done
    }

    private func move(to position: Int64, needed: Int64) throws(ContainerError) {
        step = position == windowStart + Int64(window.count) ? min(step * 2, Self.maximumLength) : Self.minimumLength
        let bytes = try fetch(position..<position + min(length - position, max(step, needed)))
        guard !bytes.isEmpty else {
            throw ContainerError(.inputOutput, "the resource changed while it was being read", at: position)
        }
        window = bytes
        windowStart = position
    }
}
