import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// A live stream at a scripted origin: two variant streams and sound, playlists that slide as time goes on, and everything
/// that can go wrong.
final class LiveOrigin {
    /// A segment that was there.
    struct Published {
        var url: ResourceURL
        var bytes: [UInt8]
        /// When it came into the playlist.
        var at: Duration
    }

    let library: LibraryFixture
    let folders = ["v1", "v2", "a1"]
    var target = 6
    var window = 6
    /// How long a segment is there after it has left the playlist.
    var grace = 6
    /// What segments are called, with `#` for their number, relative to their playlist.
    var names = "#.ts"
    /// Where the playlists are; what gives access may be in it.
    var place = "live"
    /// How far its clock is from the right time, in seconds; nil for none.
    var clock: Double? = 0
    /// What every URL's query is.
    var query = ""
    /// What segments' queries are beside that.
    var tokens = ""
    var hasEndList = false
    /// Whether it writes playlists at all.
    var isWriting = true
    /// Lines before a segment, by its number and whether it's the playlist's first.
    var line: (_ number: Int, _ isFirst: Bool) -> String = { _, _ in "" }
    /// Lines at the beginning of the multivariant playlist, and of the others.
    var definitions = (entry: "", media: "")
    /// What media sequence numbers are above segments' numbers.
    var shift = 0
    /// What becomes of a segment's bytes on their way out.
    var seal: (_ bytes: [UInt8], _ number: Int) -> [UInt8] = { bytes, _ in bytes }

    /// All that was there, in order, by folder.
    private(set) var published: [String: [Published]] = [:]
    /// When an encoder began anew.
    private(set) var restarts: [Duration] = []
    /// The number of the segment that is made at the moment, and when it began.
    private(set) var next = 0
    private var began: Duration = .zero
    /// The numbers that the playlist has, with their durations and their times.
    private var listed: [(number: Int, duration: Int, date: Date)] = []
    private var gone: [(url: ResourceURL, at: Duration)] = []
    private var generation = 0
    private var written = ""

    init(files: any BlobFileSystem = POSIXFileSystem()) { library = LibraryFixture(files: files) }

    static let base = "http://live.example/"

    static func url(_ path: String) -> ResourceURL {
        do {
            return try ResourceURL(base + path)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    var entry: ResourceURL { Self.url("index.m3u8") }

    func playlist(_ folder: String) -> ResourceURL { Self.url("\(place)/\(folder)/index.m3u8\(query)") }

    /// The URL of a segment as it's called at the moment.
    func segment(_ number: Int, in folder: String = "v1") -> ResourceURL {
        Self.url("\(place)/\(folder)/\(names.replacing("#", with: String(number)))\(query)\(tokens)")
    }

    // MARK: - The encoder

    /// The encoder begins anew, with this number.
    func restart(at number: Int = 0, as names: String? = nil) {
        next = number
        restarts.append(library.time.monotonic)
        began = library.time.monotonic
        listed = []
        generation += 1
        if let names { self.names = names }
    }

    /// Writes what is there now.
    func publish() {
        let now = library.time.monotonic
        while now - began >= .seconds(target), !hasEndList { end(at: now) }
        while listed.count > window {
            let old = listed.removeFirst()
            for folder in folders { gone.append((segment(old.number, in: folder), now + .seconds(grace * target))) }
        }
        while let old = gone.first, old.at <= now {
            gone.removeFirst()
            if !listed.contains(where: { item in folders.contains { segment(item.number, in: $0) == old.url } }) {
                library.origin[old.url] = nil
            }
        }
        let state = "\(place) \(query) \(tokens) \(next) \(generation) \(hasEndList) \(shift) \(isWriting)"
        guard isWriting, state != written else {
            written = isWriting ? written : ""
            return
        }
        written = state
        for folder in folders { serve(text(folder), folder) }
        library.serve(
            """
            #EXTM3U
            \(definitions.entry)
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="A",URI="\(place)/a1/index.m3u8\(query)"
            #EXT-X-STREAM-INF:BANDWIDTH=2000000,AUDIO="a"
            \(place)/v1/index.m3u8\(query)
            #EXT-X-STREAM-INF:BANDWIDTH=1000000,AUDIO="a"
            \(place)/v2/index.m3u8\(query)

            """, at: entry, entityTag: "\"\(place)\(query)\"")
    }

    /// The segment that is made is whole.
    private func end(at now: Duration) {
        began += .seconds(target)
        let date = library.time.now.addingTimeInterval(-(now - began).seconds - Double(target) + (clock ?? 0))
        listed.append((next, target, date))
        for folder in folders where folder != "v2" { make(next, folder, now) }
        next += 1
    }

    private func make(_ number: Int, _ folder: String, _ now: Duration) {
        let seed = (generation * 31 + folders.firstIndex { $0 == folder }!) * 100_003 + number
        let bytes = Self.packets(seed)
        let url = segment(number, in: folder)
        library.origin[url] = ScriptedResource(
            .bytes(seal(bytes, number)), entityTag: "\"\(seed)\"", contentType: "video/mp2t")
        published[folder, default: []].append(Published(url: url, bytes: seal(bytes, number), at: now))
    }

    /// What is published anew under the names that it has now.
    func renewLinks() {
        for (item, folder) in listed.flatMap({ item in folders.map { (item, $0) } }) where folder != "v2" {
            let old = published[folder]?.last { $0.url.description.contains("/\(folder)/\(name(item.number))") }
            guard let old else { continue }
            library.origin[segment(item.number, in: folder)] = ScriptedResource(
                .bytes(old.bytes), entityTag: "\"r\(item.number)\"", contentType: "video/mp2t")
        }
    }

    private func name(_ number: Int) -> String { names.replacing("#", with: String(number)) }

    /// What a playlist has in place of a query: by way of a variable, where one is defined.
    private var writtenQuery: String {
        definitions.media.isEmpty ? query : query.isEmpty ? "" : "?{$query}"
    }

    private static func packets(_ seed: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in 0..<4 {
            bytes.append(0x47)
            // The number itself, so that no two are alike.
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: seed >> (shift * 8))) }
            for index in 9..<188 { bytes.append(UInt8(truncatingIfNeeded: index + packet)) }
        }
        return bytes
    }

    func serve(_ text: String, _ folder: String) {
        library.serve(text, at: playlist(folder), entityTag: "\"\(text.hashValue)\"")
    }

    func text(_ folder: String) -> String {
        let number = listed.first?.number ?? next
        var text =
            "#EXTM3U\n\(definitions.media)\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:\(target)\n"
            + "#EXT-X-MEDIA-SEQUENCE:\(number + shift)\n"
        for item in listed {
            if clock != nil {
                let date = DateTime(
                    nanosecondsSinceEpoch: Int64((item.date.timeIntervalSince1970 * 1000).rounded()) * 1_000_000)
                text += "#EXT-X-PROGRAM-DATE-TIME:\(date)\n"
            }
            text += line(item.number, item.number == number)
            text += "#EXTINF:\(item.duration),\n\(name(item.number))\(writtenQuery)\(tokens)\n"
        }
        return text + (hasEndList ? "#EXT-X-ENDLIST\n" : "")
    }

    /// Whether a segment was in a playlist for long enough to be seen, up to a moment.
    func wasSeen(_ segment: Published, by now: Duration) -> Bool {
        let patience = Duration.seconds(target + 1)
        return !(restarts + [now]).contains { $0 >= segment.at && $0 - segment.at < patience }
    }

    // MARK: - Faults

    /// Every playlist fails like this, until ``heal()``.
    func playlistsFail(_ fault: ScriptedFault) {
        for folder in folders { library.origin.always(playlist(folder), fault) }
    }

    func heal() {
        for folder in folders { library.origin.clearFaults(playlist(folder)) }
        library.origin.clearFaults(entry)
    }
}
