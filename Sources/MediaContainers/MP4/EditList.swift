/// The edit list of a track: the parts of its media to present, and when (ISO/IEC 14496-12, 8.6.6).
public struct EditList: Sendable, Hashable {
    /// The edits in presentation order; empty if the track has no list.
    public var edits: [Edit] = []

    /// Creates a list.
    public init(_ edits: [Edit] = []) { self.edits = edits }

    /// Reads the payload of `elst`.
    init(_ reader: inout ByteReader) throws(ContainerError) {
        let full = try FullBox(&reader)
        let count = Int(try reader.uint32())
        let width = full.version == 1 ? 20 : 12
        guard count <= reader.remaining / width else {
            throw ContainerError(
                .malformed, "elst: \(count) entries, room for \(reader.remaining / width)", at: reader.offset - 4)
        }
        for _ in 0..<count {
            let begin = reader.offset
            let duration = full.version == 1 ? try reader.uint64() : UInt64(try reader.uint32())
            let time = full.version == 1 ? try reader.int64() : Int64(try reader.int32())
            guard time >= -1, time < Timescale.maximumTicks, duration < UInt64(Timescale.maximumTicks) else {
                throw ContainerError(
                    .malformed, "elst: invalid entry with media time \(time), duration \(duration)", at: begin)
            }
            edits.append(Edit(duration: duration, mediaTime: time < 0 ? nil : time, rate: try reader.int32()))
        }
    }

    /// Throws `malformed` unless each edit, and the sum of all durations, is within the bounds of ``Timescale``.
    func checkTimes(mediaTimescale: Int32, movieTimescale: Int32) throws(ContainerError) {
        var end: Int64 = 0
        for edit in edits {
            end = end.addingClamped(Int64(clamping: edit.duration))
            // The sum of the converted durations exceeds the converted sum by at most half a tick per edit.
            let converted = Timescale.convert(end, from: movieTimescale, to: mediaTimescale)
            guard Timescale.isInBounds(end, of: movieTimescale), Timescale.isInBounds(converted, of: mediaTimescale),
                Timescale.isInBounds(edit.mediaTime ?? 0, of: mediaTimescale)
            else {
                throw ContainerError(
                    .malformed, "elst: edit out of range: media time \(edit.mediaTime ?? -1), end at \(end) ticks")
            }
        }
    }

    /// Returns the offset that a fragmented track subtracts from its times: the media time of the first edit that isn't
    /// empty, minus the duration of the empty edits before it.
    func offset(mediaTimescale: Int32, movieTimescale: Int32) -> Int64 {
        let empty = edits.prefix { $0.mediaTime == nil }
        let duration = empty.reduce(Int64(0)) { $0.addingClamped(Int64(clamping: $1.duration)) }
        let start = edits.dropFirst(empty.count).first?.mediaTime ?? 0
        return start.subtractingClamped(Timescale.convert(duration, from: movieTimescale, to: mediaTimescale))
    }
}

/// An entry of an edit list (ISO/IEC 14496-12, 8.6.6).
public struct Edit: Sendable, Hashable {
    /// The duration in the timescale of the movie. With a duration of 0, as in fragmented files, an edit extends to the
    /// end of the media.
    public var duration: UInt64
    /// The start in the media, in the timescale of the media, or nil for an empty edit, which presents nothing.
    public var mediaTime: Int64?
    /// The rate as 16.16 fixed point: 0x10000 for normal playback, 0 to hold one frame.
    public var rate: Int32

    /// Creates an edit.
    public init(duration: UInt64, mediaTime: Int64?, rate: Int32 = 0x1_0000) {
        self.duration = duration
        self.mediaTime = mediaTime
        self.rate = rate
    }
}
