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
    var folders = ["v1", "v2", "a1"]
    var target = 6
    var window = 6
    /// How long a segment is there after it has left the playlist.
    var grace = 6
    /// What segments are called, with `#` for their number, relative to their playlist.
    var names = "#.ts"
    /// Where the playlists are; what gives access may be in it.
    var place = "live"
    /// Where redundant copies of the playlists and segments are, and how far each counts further; on other pathways.
    var backups: [(place: String, shift: Int)] = []
    /// How far its clock is from the right time, in seconds; nil for none.
    var clock: Double? = 0
    /// What every URL's query is.
    var query = ""
    /// What segments' queries are beside that.
    var tokens = ""
    var hasEndList = false
    /// Whether the multivariant playlist names the audio rendition.
    var isSoundNamed = true
    /// A playlist that is served in place of the multivariant playlist.
    var slate: String?
    /// Whether it writes playlists at all.
    var isWriting = true
    /// Whether it writes those at its own place; backups are written all the same.
    var isWritingOwn = true
    /// Lines before a segment, by its number and whether it's the playlist's first.
    var line: (_ number: Int, _ isFirst: Bool) -> String = { _, _ in "" }
    /// Lines at the beginning of the multivariant playlist, and of the others.
    var definitions = (entry: "", media: "")
    /// What media sequence numbers are above segments' numbers.
    var shift = 0
    /// How it answers delivery directives (RFC 8216bis §6.2.5); ``definitions`` announce them.
    var directives = Directives.honoured
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
    private var failing: [ResourceURL] = []
    private var written = ""
    /// Where requests for the next segment of each folder's playlist are held.
    private var gates: [String: ScriptedGate] = [:]

    /// Ways to answer delivery directives.
    enum Directives {
        /// As they ask.
        case honoured
        /// Delta updates leave out everything but the last segment.
        case skippingTooMuch
        /// With 400.
        case refused
        /// With the present playlist, without holding the request.
        case answeredAtOnce
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

    /// The URL of a segment as it's called at the moment.
    func segment(_ number: Int, in folder: String = "v1", at place: String? = nil) -> ResourceURL {
        Self.url("\(place ?? self.place)/\(folder)/\(names.replacing("#", with: String(number)))\(query)\(tokens)")
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
            for (folder, place) in folders.flatMap({ folder in places.map { (folder, $0) } }) {
                gone.append((segment(old.number, in: folder, at: place), now + .seconds(grace * target)))
            }
        }
        while let old = gone.first, old.at <= now {
            gone.removeFirst()
            let isListed = listed.contains { item in
                folders.contains { folder in
                    places.contains { segment(item.number, in: folder, at: $0) == old.url }
                }
            }
            if !isListed { library.origin[old.url] = nil }
        }
        let state =
            "\(place) \(query) \(tokens) \(next) \(generation) \(hasEndList) \(shift) \(isSoundNamed) \(isWriting) "
            + definitions.media + (slate ?? "")
        guard isWriting, state != written else {
            written = isWriting ? written : ""
            return
        }
        written = state
        for folder in folders {
            if isWritingOwn { serve(text(folder), folder) }
            for backup in backups {
                serve(text(folder, shift: backup.shift), folder, at: backup.place)
            }
            if definitions.media.contains("EXT-X-SERVER-CONTROL") { answerDirectives(folder) }
        }
        let text = slate ?? "#EXTM3U\n\(definitions.entry)\n" + places.map(variants).joined()
        library.serve(text, at: entry, entityTag: "\"\(text.hashValue)\"")
    }

    /// The places of all copies.
    private var places: [String] { [place] + backups.map(\.place) }

    private func variants(at place: String) -> String {
        let pathway = backups.isEmpty ? "" : ",PATHWAY-ID=\"\(place)\""
        let sound = isSoundNamed ? ",AUDIO=\"\(place) a\"" : ""
        let media = """
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="\(place) a",NAME="A",URI="\(place)/a1/index.m3u8\(query)"
            """
        return """
            \(isSoundNamed ? media : "")
            #EXT-X-STREAM-INF:BANDWIDTH=2000000\(sound)\(pathway)
            \(place)/v1/index.m3u8\(query)
            #EXT-X-STREAM-INF:BANDWIDTH=1000000\(sound)\(pathway)
            \(place)/v2/index.m3u8\(query)

            """
    }

    /// The segment that is made is whole.
    private func end(at now: Duration) {
        listed.append(underWay)
        began += .seconds(target)
        for folder in folders where folder != "v2" { make(next, folder, now) }
        next += 1
    }

    /// The segment that is made at the moment, as it will be listed.
    private var underWay: (number: Int, duration: Int, date: Date) {
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

    func serve(_ text: String, _ folder: String, at place: String? = nil) {
        library.serve(text, at: playlist(folder, at: place), entityTag: "\"\(text.hashValue)\"")
    }

    func text(_ folder: String, shift: Int? = nil) -> String { text(listed, skipping: 0, shift: shift) }

    /// A playlist of some segments, the first of them left out as a delta update does (RFC 8216bis §6.2.5.1).
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

    /// How many requests are held until the next segment is there.
    var held: Int { gates.values.count { $0.arrivals > 0 && !$0.isOpen } }

    /// The URL of a playlist with directives.
    func playlist(_ folder: String, _ directives: DeliveryDirectives) -> ResourceURL {
        Self.url(String(directives.applied(to: playlist(folder).description).dropFirst(Self.base.count)))
    }

    /// Answers requests for segments that are listed at once, and holds those for the next one until it's there.
    private func answerDirectives(_ folder: String) {
        let coming = Array((listed + [underWay]).suffix(window))
        let gate = ScriptedGate()
        for skip in [nil, DeliveryDirectives.Skip.segments, .segmentsAndDateRanges] {
            for number in [nil, next] + listed.map(\.number) {
                let asked = DeliveryDirectives(mediaSequence: number.map { $0 + shift }, skip: skip)
                guard !asked.isEmpty else { continue }
                let url = playlist(folder, asked)
                let isHeld = number == next && directives != .answeredAtOnce
                let items = isHeld ? coming : listed
                // Older ones than six target durations.
                let skipped = skip == nil ? 0 : directives == .skippingTooMuch ? items.count - 1 : items.count - 6
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

    /// Every answer for a URL has a fault, until ``heal()``.
    func fail(_ url: ResourceURL, _ fault: ScriptedFault) {
        library.origin.always(url, fault)
        failing.append(url)
    }

    func heal() {
        for url in failing { library.origin.clearFaults(url) }
        failing = []
        for folder in folders { library.origin.clearFaults(playlist(folder)) }
        library.origin.clearFaults(entry)
    }
}
