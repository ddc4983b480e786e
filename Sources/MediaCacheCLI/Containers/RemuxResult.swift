import MediaContainers
import MediaLibrary

/// What a remux made.
struct RemuxResult: Encodable, Sendable {
    /// A segment that couldn't be read or remuxed completely.
    struct Missing: Encodable, Sendable {
        /// The last of its path.
        var name: String
        /// When it begins, in seconds from the stream's beginning.
        var start: Double
        /// Seconds.
        var duration: Double
        /// The damage, of a segment that could be read; else nil.
        var reason: String?

        /// The name, with the damage.
        var text: String { reason.map { "\(name) (\($0))" } ?? name }

        /// A segment of a name of its own.
        init(name: String, start: Double, duration: Double) {
            (self.name, self.start, self.duration) = (name, start, duration)
        }

        /// The record of a part.
        init(_ part: StreamPart, reason: String? = nil) {
            let path = part.url.prefix { $0 != "?" }
            name = path.split(separator: "/").last.map(String.init) ?? part.url
            start = part.start
            duration = part.duration
            self.reason = reason
        }
    }

    /// Places where packets are missing or can't be read.
    struct Damage: Encodable, Sendable {
        /// How many there are.
        var places: Int
        /// When the first is, in seconds from the beginning of what was read.
        var first: Double
        /// How often each kind was found.
        var kinds: [String: Int]

        /// The record of what a remux went past; nil where that is nothing.
        init?(_ damage: RemuxDamage) {
            guard let first = damage.first else { return nil }
            places = damage.places
            self.first = first
            kinds = Dictionary(uniqueKeysWithValues: damage.kinds.map { ($0.key.rawValue, $0.value) })
        }
    }

    /// What was read.
    var inputs: [String]
    /// The file that was made.
    var output: String
    /// Its bytes.
    var size: Int64 = 0
    /// How long it lasts in seconds.
    @Nullable var duration: Double?
    /// Its tracks.
    var tracks: [ContainerTrackRecord] = []
    /// The files of its subtitles.
    var subtitles: [String] = []
    /// Tracks that it couldn't carry, and why.
    var leftOut: [String] = []
    /// Segments that couldn't be read or are damaged, and stay gaps.
    var missing: [Missing] = []
    /// What is damaged.
    @Nullable var damage: Damage?

    /// Those of them that are seen or heard.
    private var lost: [String] = []

    private enum CodingKeys: String, CodingKey {
        case inputs, output, size, duration, tracks, subtitles, leftOut, missing, damage
    }

    /// Nothing as yet.
    init(inputs: [String], output: String) {
        self.inputs = inputs
        self.output = output
    }

    /// Takes down that a track isn't carried over.
    mutating func leaveOut(_ track: MediaTrack, _ reason: String) {
        let text = "\(track.kind.rawValue) track \(track.id): \(reason)"
        leftOut.append(text)
        if track.kind == .video || track.kind == .audio { lost.append(text) }
    }

    /// Takes down what the file that was made says of itself.
    mutating func look(at path: String, _ control: WorkControl) throws(ContainerError) {
        guard let contents = try ContainerContents(try InputBytes(path: path, control: control)) else { return }
        let record = ContainerRecord(try ContainerInspection(contents, name: path))
        size = record.size
        duration = record.duration
        tracks = record.tracks
    }

    /// In words.
    var text: String {
        let length = duration.map { ", \(SecondsText.describe($0))" } ?? ""
        let formats = tracks.map { track in
            let format = track.formats.first
            let size = format?.width.flatMap { width in format?.height.map { " \(width) × \($0)" } } ?? ""
            let sound = format?.sampleRate.map { " \($0) Hz" } ?? ""
            return "\(track.kind) \(track.codec ?? "")\(size)\(sound)"
        }
        let content = formats.isEmpty ? "" : ": \(formats.joined(separator: ", "))"
        var lines = ["Made \(output) (\(ByteCount(size))\(length))\(content)."]
        if !subtitles.isEmpty { lines.append("Subtitles: \(subtitles.joined(separator: ", ")).") }
        if !leftOut.isEmpty { lines.append("Left out: \(leftOut.joined(separator: "; ")).") }
        if let damage {
            let places = damage.places.counted("place")
            lines.append("Damaged: \(places), the first at \(SecondsText.describe(damage.first)).")
        }
        return lines.map(Table.printable).joined(separator: "\n")
    }

    /// Why it isn't the whole; nil if it is.
    var shortfall: CommandFailure? {
        guard let first = missing.first else {
            guard !lost.isEmpty else { return nil }
            return CommandFailure(
                .partial, "\(output) lacks what can't be carried over: \(lost.joined(separator: "; "))")
        }
        let names = missing.prefix(3).map(\.text).joined(separator: ", ")
        let more = missing.count > 3 ? " and \(missing.count - 3) more" : ""
        let seconds = SecondsText.describe(missing.reduce(0) { $0 + $1.duration })
        let start = SecondsText.describe(first.start)
        let states = [
            missing.contains { $0.reason == nil } ? "missing" : nil,
            missing.contains { $0.reason != nil } ? "damaged" : nil,
        ]
        let state = states.compactMap(\.self).joined(separator: " or ")
        guard missing.count > 1 else {
            return CommandFailure(
                .partial, "1 segment is \(state) and stays a gap, \(seconds) long, at \(start): \(names)")
        }
        return CommandFailure(
            .partial,
            "\(missing.count) segments are \(state) and stay gaps, \(seconds) in all, the first at \(start): "
                + "\(names)\(more)")
    }
}
