/// Splits audio whose frames begin with a sync word and tell their length: ADTS, LOAS, AC-3 and MPEG audio.
///
/// After a loss a header is believed when another follows its frame, or nothing more is known; in a run of frames each
/// header is believed at once.
class SyncFrameParser: FrameParser {
    /// The shortest bytes that hold a frame's header.
    var headerLength: Int { 0 }
    /// The longest run of bytes that is looked through for a header at a time.
    private static let searchLimit = 1 << 20

    private var isInSync = false

    /// The length in bytes of the frame whose header is at a place, or nil if none is. `place` has
    /// ``headerLength`` bytes behind it.
    func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? { nil }

    /// Learns what the whole frame at the front says.
    func readFrame(_ frame: UnsafeRawBufferPointer) {}

    /// Where the frame that begins at the front ends, when further parts may belong to it: nil to wait for more.
    func joinedLength(_ bytes: UnsafeRawBufferPointer, first: Int, isLast: Bool) -> Int? { first }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        guard bytes.count >= headerLength, headerLength > 0 else {
            return isLast && !bytes.isEmpty ? .garbage(bytes.count) : .incomplete
        }
        guard let length = frameLength(bytes, at: 0), length > 0 else { return search(bytes, from: 1, isLast: isLast) }
        if length > bytes.count {
            if isLast { return isInSync ? .garbage(bytes.count) : search(bytes, from: 1, isLast: true) }
            return .incomplete
        }
        if !isInSync {
            // The next frame's header confirms this one; at the very end there is none to ask.
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

    /// Whether what stands behind a frame confirms it: another frame, or in packed audio an ID3 tag.
    private func confirms(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        if frameLength(bytes, at: place) != nil { return true }
        return place + 3 <= bytes.count && bytes[place] == 0x49 && bytes[place + 1] == 0x44 && bytes[place + 2] == 0x33
    }

    private func search(_ bytes: UnsafeRawBufferPointer, from start: Int, isLast: Bool) -> Scan {
        isInSync = false
        let end = min(bytes.count, Self.searchLimit)
        var place = start
        while place + headerLength <= end {
            if let length = frameLength(bytes, at: place), length > 0 {
                let next = place + length
                guard next + headerLength <= bytes.count else { return .garbage(place) }
                if confirms(bytes, at: next) { return .garbage(place) }
            }
            place += 1
        }
        return .garbage(isLast ? bytes.count : max(1, place))
    }
}
