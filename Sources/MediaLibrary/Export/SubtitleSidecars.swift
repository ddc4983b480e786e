internal import MediaContainers

/// The WebVTT files next to an output file: `film.de.vtt` for `film.mp4`.
struct SubtitleSidecars {
    private let targets: [OutputTarget]

    /// Chooses the names of the files, and checks that they can be written.
    init(of renditions: [SubtitleRendition], beside output: OutputTarget) throws {
        let path = output.path
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let stem = path[name...].lastIndex(of: ".").map { path[..<$0] } ?? path[...]
        var used: Set<String> = []
        targets = renditions.map { rendition in
            let language = (rendition.language ?? "").filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let suffix = (language.isEmpty ? "und" : language) + (rendition.isForced ? ".forced" : "")
            var number = 1
            var path = "\(stem).\(suffix).vtt"
            while !used.insert(path).inserted {
                number += 1
                path = "\(stem).\(suffix).\(number).vtt"
            }
            return OutputTarget(path: path, overwrites: output.overwrites)
        }
        for target in targets { try target.check() }
    }

    /// Writes a file for each track with cues in a time range, in 90 kHz ticks. Returns the temporary files, and the
    /// paths of their targets.
    func make(_ tracks: [SubtitleTrack], in shown: Range<Int64>) throws -> [(path: String, file: OutputFile)] {
        let pairs = zip(targets, tracks).filter { pair in pair.1.cues.contains { shown.overlaps($0.start..<$0.end) } }
        return try pairs.map { target, track in
            let file = try OutputFile(target)
            try Array(track.text(in: shown).utf8).withUnsafeBytes { try file.write($0) }
            return (target.path, file)
        }
    }
}
