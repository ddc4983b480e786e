import Foundation
import TestSupport

/// A reproducible on-demand media playlist with many segments.
struct GeneratedPlaylist {
    /// The form of the segments' URIs.
    enum Form: String, CaseIterable {
        case relative = "relative names"
        case absolute = "absolute URLs"
    }

    static let segmentCount = 100_000
    /// The prefix of absolute URLs.
    static let origin = "https://"

    let form: Form
    let bytes: [UInt8]

    init(_ form: Form) {
        self.form = form
        var random = SeededGenerator(seed: 3)
        var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        let folder =
            form == .absolute
            ? "\(Self.origin)media.example/vod/\(String(random.next(), radix: 16))/1080p/" : ""
        for index in 0..<Self.segmentCount {
            let milliseconds = Int.random(in: 500..<1000, using: &random)
            text += "#EXTINF:5.\(milliseconds),\n\(folder)segment-\(index).ts\n"
        }
        bytes = Array((text + "#EXT-X-ENDLIST\n").utf8)
    }

    var megabytes: Double { Double(bytes.count) / 1e6 }

    /// Writes the playlist to a folder, and returns its path.
    func write(to folder: TemporaryFolder) throws -> String {
        let path = folder.file("\(form).m3u8")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }
}
