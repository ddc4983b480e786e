/// A frame decoded by a player, with its checksum.
struct DecodedFrame: Hashable, Comparable, CustomStringConvertible {
    /// `video` or `audio`.
    var kind: String
    /// The presentation time in the time base of the player.
    var time: Int
    /// The checksum of the samples.
    var sum: String

    var description: String { "\(kind) \(time) \(sum)" }

    static func < (one: Self, other: Self) -> Bool {
        (one.kind, one.time, one.sum) < (other.kind, other.time, other.sum)
    }

    /// Returns the frames of a `framecrc` or `framemd5` file, sorted by kind and time, because stream numbers and
    /// interleaving vary between runs.
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
                    throw HarnessError("invalid line of frame checksums: \(line)")
                }
                frames.append(DecodedFrame(kind: kind, time: time, sum: String(fields[5])))
            }
        }
        return frames.sorted()
    }
}
