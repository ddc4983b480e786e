/// One frame that a player decoded, by its checksum.
struct DecodedFrame: Hashable, Comparable, CustomStringConvertible {
    /// `video` or `audio`.
    var kind: String
    /// The presentation time, in the time base that the player gave it.
    var time: Int
    /// The checksum of its samples.
    var sum: String

    var description: String { "\(kind) \(time) \(sum)" }

    static func < (one: Self, other: Self) -> Bool {
        (one.kind, one.time, one.sum) < (other.kind, other.time, other.sum)
    }

    /// The frames of a `framecrc` or `framemd5` file, by kind and time. Which stream is number 0, and how the streams interleave,
    /// depends on which was decoded first.
    static func all(in text: String) throws -> [DecodedFrame] {
        var kinds: [Substring: String] = [:]
        var frames: [DecodedFrame] = []
        for line in text.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/\#media_type (\d+): (\w+)/#) {
                kinds[match.1] = String(match.2)
            } else if !line.hasPrefix("#") {
                // "stream, dts, pts, duration, size, hash"
                let fields = line.split(separator: ",").map { $0.drop { $0 == " " } }
                guard fields.count == 6, let kind = kinds[fields[0]], let time = Int(fields[2]) else {
                    throw HarnessError("a line of frame checksums that isn't one: \(line)")
                }
                frames.append(DecodedFrame(kind: kind, time: time, sum: String(fields[5])))
            }
        }
        return frames.sorted()
    }
}
