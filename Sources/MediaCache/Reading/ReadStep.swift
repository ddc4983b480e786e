/// What a read session has for its reader at this moment.
package enum ReadStep: Sendable {
    /// `count` bytes are here, at `offset` of `source`. They stay the reader's until it calls `consume`.
    case bytes(any ByteSource, offset: Int64, count: Int)
    /// Nothing yet. The callback given to `poll` is called once, outside every lock, when it's worth polling again.
    case wait
    /// The range has been read to its end.
    case end
    /// No more bytes will come.
    case failed(CacheError)
}

/// Where a session's bytes lie: a blob, or memory.
package protocol ByteSource: Sendable {
    /// Reads exactly `buffer.count` bytes at `offset` if that takes no waiting for a disk; returns false if it does.
    ///
    /// Callable from an event loop.
    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool

    /// Reads exactly `buffer.count` bytes at `offset`, waiting for the disk where it must.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws

    /// The descriptor of a file that has these bytes at this place, if they are in memory as far as samples of them tell: so
    /// that the system may send them from there. It's valid while this is kept, and isn't to be closed.
    ///
    /// Callable from an event loop.
    func descriptor(forSending range: Range<Int64>) -> Int32?
}

extension ByteSource {
    package func descriptor(forSending range: Range<Int64>) -> Int32? { nil }
}
