import MediaContainers
import MediaLibrary

/// The WebVTT files that stand beside a film: `film.de.vtt` of `film.mp4`.
struct SubtitleSidecars {
    /// Where each is put, in the order of the renditions.
    let targets: [OutputTarget]

    /// Names the files of `renditions`.
    ///
    /// - Throws: ``CommandFailure`` where one can't be put there.
    init(of renditions: [SubtitleRendition], beside film: OutputTarget) throws {
        let path = film.path
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let stem = path[name...].lastIndex(of: ".").map { path[..<$0] } ?? path[...]
        var taken: Set<String> = []
        targets = renditions.map { rendition in
            let language = (rendition.language ?? "").filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let suffix = (language.isEmpty ? "und" : language) + (rendition.isForced ? ".forced" : "")
            var number = 1
            var path = "\(stem).\(suffix).vtt"
            while !taken.insert(path).inserted {
                number += 1
                path = "\(stem).\(suffix).\(number).vtt"
            }
            return OutputTarget(path: path, overwrites: film.overwrites)
        }
        for target in targets { try target.check() }
    }

    /// Makes the files of the tracks that have cues in a stretch of time, in ticks of 90 kHz.
    ///
    /// - Returns: The files, which aren't in their places yet.
    /// - Throws: ``CommandFailure`` and `ContainerError`.
    func make(_ tracks: [SubtitleTrack], in shown: Range<Int64>) throws -> [(path: String, file: OutputFile)] {
        let pairs = zip(targets, tracks).filter { pair in pair.1.cues.contains { shown.overlaps($0.start..<$0.end) } }
        return try pairs.map { target, track in
            let file = try OutputFile(target)
            try Array(track.text(in: shown).utf8).withUnsafeBytes { try file.write($0) }
            return (target.path, file)
        }
    }
}
