/// A base class for parsers of audio frames that begin with a sync word and contain their length: ADTS, LOAS, AC-3 and
/// MPEG audio.
///
/// After a loss of sync, a header is valid if another header or an ID3 tag follows its frame, or the data ends there.
/// Within a sequence of frames, each header is valid immediately.
class SyncFrameParser: FrameParser {
    var headerLength: Int { 0 }
    private static let searchLimit = 1 << 20

    private var isInSync = false

    /// Returns the length in bytes of the frame with a header at an index, or nil if there is none. At least
    /// ``headerLength`` bytes follow the index.
    func frameLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? { nil }

    func readFrame(_ frame: UnsafeRawBufferPointer) {}

    /// Returns the length of the first frame including the parts that follow it, or nil to wait for more bytes.
    func joinedLength(_ bytes: UnsafeRawBufferPointer, first: Int, isLast: Bool) -> Int? { first }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        guard bytes.count >= headerLength, headerLength > 0 else {
            return isLast && !bytes.isEmpty ? .garbage(bytes.count) : .incomplete
        }
        var first = frameLength(bytes, at: 0)
        if first == nil, isInSync {
            // A sequence of frames of another format may begin here.
            reset()
            first = frameLength(bytes, at: 0)
        }
        guard let length = first, length > 0 else { return search(bytes, from: 1, isLast: isLast) }
        if length > bytes.count {
            if isLast { return isInSync ? .garbage(bytes.count) : search(bytes, from: 1, isLast: true) }
            return .incomplete
        }
        if !isInSync {
            // The header of the next frame confirms this one. At the end of the data there is no next frame.
            if length + headerLength <= bytes.count {
                guard confirms(bytes, at: length) else { return search(bytes, from: 1, isLast: isLast) }
            } else if length != bytes.count, !isLast {
                return .incomplete
            }
        }
        guard let whole = joinedLength(bytes, first: length, isLast: isLast) else { return .incomplete }
        isInSync = true
        readFrame(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
        return .frame(whole)
    }

    override func reset() { isInSync = false }

    /// Returns whether the bytes after a frame confirm it: another frame, or in packed audio an ID3 tag.
    private func confirms(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        frameLength(bytes, at: offset) != nil || ID3Tag.begins(bytes, at: offset)
    }

    private func search(_ bytes: UnsafeRawBufferPointer, from start: Int, isLast: Bool) -> Scan {
        reset()
        let end = min(bytes.count, Self.searchLimit)
        var offset = start
        while offset + headerLength <= end {
            if let length = frameLength(bytes, at: offset), length > 0 {
                let next = offset + length
                guard next + headerLength <= bytes.count else { return .garbage(offset) }
                if confirms(bytes, at: next) { return .garbage(offset) }
            }
            offset += 1
        }
        return .garbage(isLast ? bytes.count : max(1, offset))
    }
}
