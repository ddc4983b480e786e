import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// A live stream at a scripted origin, with two variant streams, audio, sliding playlists, and all kinds of faults.
final class LiveOrigin {
    struct Published {
        var url: ResourceURL
        var bytes: [UInt8]
        /// The time when the segment was listed.
        var at: Duration
    }

    let library: LibraryFixture
    var folders = ["v1", "v2", "a1"]
    var target = 6
    var window = 6
    /// The number of target durations for which a segment remains available after it has left the playlist.
    var grace = 6
    /// The segment URIs relative to their playlist, with `#` for the segment number.
    var names = "#.ts"
    /// The folder of the playlists, which may contain an access token.
    var place = "live"
    /// The folders of copies on other pathways, with their offsets of media sequence numbers.
    var backups: [(place: String, shift: Int)] = []
    /// The error of the encoder's clock in seconds; nil if playlists have no dates.
    var clock: Double? = 0
    /// The query of all URLs.
    var query = ""
    /// An additional query of segment URLs.
    var tokens = ""
    var hasEndList = false
    var listsAudio = true
    /// A playlist that is served in place of the multivariant playlist.
    var slate: String?
    var updatesPlaylists = true
    /// Whether updates include the playlists in the main folder, not only those of redundant copies.
    var updatesOwnPlaylists = true
    /// Returns the lines before a segment, given its number and whether it is the first in the playlist.
    var line: (_ number: Int, _ isFirst: Bool) -> String = { _, _ in "" }
    /// The first lines of the multivariant playlist and of the media playlists.
    var definitions = (entry: "", media: "")
    /// The media sequence number minus the segment number.
    var shift = 0
    /// The behavior towards delivery directives (RFC 8216bis §6.2.5), which ``definitions`` announces.
    var directives = Directives.honored
    /// Transforms a segment's bytes before they are served.
    var seal: (_ bytes: [UInt8], _ number: Int) -> [UInt8] = { bytes, _ in bytes }

    /// All published segments in order, by folder.
    private(set) var published: [String: [Published]] = [:]
    private(set) var restarts: [Duration] = []
    /// The number of the segment in progress.
    private(set) var next = 0
    /// The start of the segment in progress.
    private var began: Duration = .zero
    /// The numbers of the listed segments, with their durations and dates.
    private var listed: [(number: Int, duration: Int, date: Date)] = []
    private var expiring: [(url: ResourceURL, at: Duration)] = []
    private var generation = 0
    private var failing: [ResourceURL] = []
    private var written = ""
    /// The gates that delay requests for each folder's next playlist.
    private var gates: [String: ScriptedGate] = [:]

    enum Directives {
        case honored
        /// Sends delta updates that skip all but the last segment.
        case excessiveSkip
        case refused
        /// Sends the current playlist without delaying the response.
        case immediateResponse
    }

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

    func playlist(_ folder: String, at place: String? = nil) -> ResourceURL {
        Self.url("\(place ?? self.place)/\(folder)/index.m3u8\(query)")
    }

    func segment(_ number: Int, in folder: String = "v1", at place: String? = nil) -> ResourceURL {
        Self.url("\(place ?? self.place)/\(folder)/\(names.replacing("#", with: String(number)))\(query)\(tokens)")
    }

    // MARK: - The encoder

    func restart(at number: Int = 0, as names: String? = nil) {
        next = number
        restarts.append(library.time.monotonic)
        began = library.time.monotonic
        listed = []
        generation += 1
        if let names { self.names = names }
    }

    /// Publishes the segments and playlists that are due.
    func publish() {
        let now = library.time.monotonic
        while now - began >= .seconds(target), !hasEndList { end(at: now) }
        while listed.count > window {
            for url in urls(listed.removeFirst().number) { expiring.append((url, now + .seconds(grace * target))) }
        }
        while let old = expiring.first, old.at <= now {
            expiring.removeFirst()
            if !listed.contains(where: { urls($0.number).contains(old.url) }) { library.origin[old.url] = nil }
        }
        let state =
            "\(place) \(query) \(tokens) \(next) \(generation) \(hasEndList) \(shift) \(listsAudio) "
            + definitions.media + (slate ?? "")
        guard updatesPlaylists, state != written else {
            written = updatesPlaylists ? written : ""
            return
        }
        written = state
        for folder in folders {
            if updatesOwnPlaylists { serve(text(folder), folder) }
            for backup in backups { serve(text(folder, shift: backup.shift), folder, at: backup.place) }
            if definitions.media.contains("EXT-X-SERVER-CONTROL") { answerDirectives(folder) }
        }
        let text = slate ?? "#EXTM3U\n\(definitions.entry)\n" + places.map(variants).joined()
        library.serve(text, at: entry, entityTag: "\"\(text.hashValue)\"")
    }

    /// The folders of all copies.
    private var places: [String] { [place] + backups.map(\.place) }

    /// Returns the URLs of a segment in all tracks and copies.
    private func urls(_ number: Int) -> [ResourceURL] {
        folders.flatMap { folder in places.map { segment(number, in: folder, at: $0) } }
    }

    private func variants(at place: String) -> String {
        let pathway = backups.isEmpty ? "" : ",PATHWAY-ID=\"\(place)\""
        let sound = listsAudio ? ",AUDIO=\"\(place) a\"" : ""
        let media = """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="\(place) a",NAME="A",URI="\(place)/a1/index.m3u8\(query)"
            """
        return """
            \(listsAudio ? media : "")
            #EXT-X-STREAM-INF:BANDWIDTH=2000000\(sound)\(pathway)
            \(place)/v1/index.m3u8\(query)
            #EXT-X-STREAM-INF:BANDWIDTH=1000000\(sound)\(pathway)
            \(place)/v2/index.m3u8\(query)

            """
    }

    /// Ends the segment in progress. Segments of `v2` are listed but don't exist.
    private func end(at now: Duration) {
        listed.append(inFlight)
        began += .seconds(target)
        for folder in folders where folder != "v2" { make(next, folder, now) }
        next += 1
    }

    /// The segment in progress, as it will be listed.
    private var inFlight: (number: Int, duration: Int, date: Date) {
        let age = (library.time.monotonic - began).seconds
        return (next, target, library.time.now.addingTimeInterval(-age + (clock ?? 0)))
    }

    private func make(_ number: Int, _ folder: String, _ now: Duration) {
        let seed = (generation * 31 + folders.firstIndex { $0 == folder }!) * 100_003 + number
        let bytes = Self.packets(seed)
        let url = segment(number, in: folder)
        for place in places {
            library.origin[segment(number, in: folder, at: place)] = ScriptedResource(
                .bytes(seal(bytes, number)), entityTag: "\"\(seed)\"", contentType: "video/mp2t")
        }
        published[folder, default: []].append(Published(url: url, bytes: seal(bytes, number), at: now))
    }

    /// Publishes the listed segments, which were published as `names`, again under the current names.
    func renewLinks(from names: String? = nil) {
        for (item, folder) in listed.flatMap({ item in folders.map { (item, $0) } }) where folder != "v2" {
            let name = (names ?? self.names).replacing("#", with: String(item.number))
            let old = published[folder]?.last { $0.url.description.contains("/\(folder)/\(name)") }
            guard let old else { continue }
            library.origin[segment(item.number, in: folder)] = ScriptedResource(
                .bytes(old.bytes), entityTag: "\"r\(item.number)\"", contentType: "video/mp2t")
        }
    }

    private func name(_ number: Int) -> String { names.replacing("#", with: String(number)) }

    /// The query of the URIs in a playlist, as a variable reference if one is defined.
    private var writtenQuery: String { definitions.media.isEmpty ? query : query.isEmpty ? "" : "?{$query}" }

    private static func packets(_ seed: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in 0..<4 {
            bytes.append(0x47)
            // The seed makes each segment's bytes unique.
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: seed >> (shift * 8))) }
            for index in 9..<188 { bytes.append(UInt8(truncatingIfNeeded: index + packet)) }
        }
        return bytes
    }

    func serve(_ text: String, _ folder: String, at place: String? = nil) {
        library.serve(text, at: playlist(folder, at: place), entityTag: "\"\(text.hashValue)\"")
    }

    func text(_ folder: String, shift: Int? = nil) -> String { text(listed, skipping: 0, shift: shift) }

    /// Returns a playlist of some segments. A delta update omits the first ones (RFC 8216bis §6.2.5.1).
    private func text(
        _ listed: [(number: Int, duration: Int, date: Date)], skipping count: Int, shift: Int? = nil
    ) -> String {
        let number = listed.first?.number ?? next
        var text =
            "#EXTM3U\n\(definitions.media)\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:\(target)\n"
            + "#EXT-X-MEDIA-SEQUENCE:\(number + (shift ?? self.shift))\n"
        if count > 0 { text += "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(count)\n" }
        for item in listed.dropFirst(count) {
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

    // MARK: - Delivery directives

    /// The number of folders with a request that is waiting for the next segment.
    var held: Int { gates.values.count { $0.waiting > 0 } }

    func playlist(_ folder: String, _ directives: DeliveryDirectives) -> ResourceURL {
        Self.url(String(directives.applied(to: playlist(folder).description).dropFirst(Self.base.count)))
    }

    /// Serves playlists of listed segments immediately, and delays requests for the next segment until it is available.
    private func answerDirectives(_ folder: String) {
        let coming = Array((listed + [inFlight]).suffix(window))
        let gate = ScriptedGate()
        for skip in [nil, DeliveryDirectives.Skip.segments, .segmentsAndDateRanges] {
            for number in [nil, next] + listed.map(\.number) {
                let requested = DeliveryDirectives(mediaSequence: number.map { $0 + shift }, skip: skip)
                guard !requested.isEmpty else { continue }
                let url = playlist(folder, requested)
                let isHeld = number == next && directives != .immediateResponse
                let items = isHeld ? coming : listed
                // The segments older than six target durations.
                let skipped = skip == nil ? 0 : directives == .excessiveSkip ? items.count - 1 : items.count - 6
                library.serve(text(items, skipping: max(0, skipped)), at: url, entityTag: nil)
                library.origin.always(url)
                if isHeld { library.origin.always(url, .holdHead(gate)) }
                if directives == .refused { library.origin.always(url, .status(400)) }
            }
        }
        let last = gates[folder]
        gates[folder] = gate
        last?.open()
    }

    /// Returns whether a segment was listed long enough before `now` and each restart to be seen.
    func wasListedLongEnough(_ segment: Published, by now: Duration) -> Bool {
        let patience = Duration.seconds(target + 1)
        return !(restarts + [now]).contains { $0 >= segment.at && $0 - segment.at < patience }
    }

    // MARK: - Faults

    /// Serves a media playlist with the segment `slate.ts` in place of the multivariant playlist.
    func serveSlate(_ playlist: String) {
        let packet = [0x47] + [UInt8](repeating: 1, count: 187)
        library.origin[Self.url("slate.ts")] = ScriptedResource(
            .bytes(packet + packet), entityTag: "\"slate\"", contentType: "video/mp2t")
        slate = playlist
    }

    /// Makes all media playlists in the main folder fail until ``clearFaults()``.
    func playlistsFail(_ fault: ScriptedFault) {
        for folder in folders { library.origin.always(playlist(folder), fault) }
    }

    /// Makes a URL fail until ``clearFaults()``.
    func fail(_ url: ResourceURL, _ fault: ScriptedFault) {
        library.origin.always(url, fault)
        failing.append(url)
    }

    func clearFaults() {
        for url in failing { library.origin.clearFaults(url) }
        failing = []
        for folder in folders { library.origin.clearFaults(playlist(folder)) }
        library.origin.clearFaults(entry)
    }
}
