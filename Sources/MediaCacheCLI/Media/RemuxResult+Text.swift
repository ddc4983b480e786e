import MediaCache
import MediaLibrary

extension RemuxResult {
    var text: String {
        let length = duration.map { ", \(SecondsText.describe($0))" } ?? ""
        let formats = tracks.map { track in
            let format = track.formats.first
            let size = format?.width.flatMap { width in format?.height.map { " \(width) × \($0)" } } ?? ""
            let rate = format?.sampleRate.map { " \($0) Hz" } ?? ""
            return "\(track.kind) \(track.codec ?? "")\(size)\(rate)"
        }
        let content = formats.isEmpty ? "" : ": \(formats.joined(separator: ", "))"
        var lines = ["Wrote \(output) (\(ByteCount(size))\(length))\(content)."]
        if !subtitles.isEmpty { lines.append("Subtitles: \(subtitles.joined(separator: ", ")).") }
        if !omitted.isEmpty { lines.append("Omitted: \(omitted.joined(separator: "; ")).") }
        if let damage {
            let places = damage.places.counted("place")
            lines.append("Damaged: \(places), the first at \(SecondsText.describe(damage.first)).")
        }
        return lines.map(Table.printable).joined(separator: "\n")
    }

    /// The failure of a job whose output is incomplete; otherwise nil.
    var shortfall: CommandFailure? {
        guard let first = missing.first else {
            guard lostTracks.isEmpty else {
                return CommandFailure(
                    .partial, "\(output) can't contain some tracks: \(lostTracks.joined(separator: "; "))")
            }
            return damage.map { damage in
                let places = damage.places == 1 ? "1 place is" : "\(damage.places) places are"
                return CommandFailure(
                    .partial, "\(places) damaged in \(output), the first at \(SecondsText.describe(damage.first))")
            }
        }
        let names = missing.prefix(3).map { segment in
            segment.reason.map { "\(segment.name) (\($0))" } ?? segment.name
        }.joined(separator: ", ")
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
                .partial, "1 segment is \(state) and becomes a gap of \(seconds) at \(start): \(names)")
        }
        return CommandFailure(
            .partial,
            "\(missing.count) segments are \(state) and become gaps of \(seconds) in total, the first at \(start): "
                + "\(names)\(more)")
    }
}
