import HLS
import TestSupport

/// A seeded generator of playlists of both kinds.
struct PlaylistGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() -> Playlist { chance(3) ? .multivariant(multivariant()) : .media(media()) }

    private mutating func chance(_ odds: Int) -> Bool { Int.random(in: 0..<odds, using: &random) == 0 }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func name(_ prefix: String) -> String { "\(prefix)-\(number(0...99))" }

    private mutating func decimal() -> DecimalValue {
        DecimalValue(significand: Int64(number(0...99_999)), fractionDigits: UInt8(number(0...4)))
    }

    private mutating func key() -> EncryptionKey {
        if chance(4) { return EncryptionKey(method: .none) }
        var key = EncryptionKey(method: .aes128, uri: name("key"))
        if chance(2) { key.keyFormat = name("format") }
        if chance(2) {
            key.iv = HexadecimalSequence(bytes: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        return key
    }

    private mutating func media() -> MediaPlaylist {
        var playlist = MediaPlaylist(targetDuration: number(1...20))
        if chance(2) { playlist.version = number(1...12) }
        playlist.mediaSequence = number(0...1000)
        playlist.discontinuitySequence = number(0...3)
        playlist.hasEndList = chance(2)
        playlist.type = chance(3) ? .onDemand : chance(2) ? .event : nil
        playlist.hasIndependentSegments = chance(2)
        if chance(3) { playlist.start = StartPoint(timeOffset: decimal(), isPrecise: chance(2)) }
        if chance(3) { playlist.partInformation = PartInformation(partTarget: decimal()) }
        if chance(4) { playlist.skip = SkippedSegments(count: number(0...9)) }
        if chance(4) { playlist.unknownTags = [UnknownTag(name: "EXT-X-OURS", value: name("value"))] }
        if chance(4) { playlist.preloadHints = [PreloadHint(type: "PART", uri: name("hint"))] }
        if chance(4) { playlist.renditionReports = [RenditionReport(uri: name("report"))] }
        var keys: [EncryptionKey] = []
        var map: MediaInitializationSection?
        for _ in 0..<number(1...12) {
            if chance(4) { keys = [key()] }
            if chance(5) { map = MediaInitializationSection(uri: name("map"), keys: keys) }
            playlist.segments.append(segment(keys, map))
        }
        return playlist
    }

    private mutating func segment(_ keys: [EncryptionKey], _ map: MediaInitializationSection?) -> MediaSegment {
        var segment = MediaSegment(uri: name("segment"), duration: decimal())
        segment.keys = keys
        segment.map = map
        segment.title = chance(4) ? name("title") : ""
        segment.isDiscontinuous = chance(5)
        segment.isGap = chance(8)
        if chance(4) {
            segment.byteRange = ByteRange(length: number(1...9999), offset: chance(2) ? number(0...9999) : nil)
        }
        if chance(6) { segment.tags.append(.durationParameters("tvg-id=\"\(number(0...9)),x\"")) }
        for _ in 0..<number(0...3) { segment.tags.append(tag()) }
        return segment
    }

    private mutating func tag() -> SegmentTag {
        switch number(0...5) {
        case 0:
            return .programDateTime(DateTime(nanosecondsSinceEpoch: Int64(number(0...2_000_000_000)) * 1_000_000_000))
        case 1: return .bitrate(number(1...9999))
        case 2: return .part(PartialSegment(uri: name("part"), duration: decimal()))
        case 3: return .dateRange(DateRange(id: name("range"), startDate: DateTime("2024-01-01T00:00:00Z")))
        case 4: return AdvertisementCue(tag: .cueOut, value: "30").map { .cue($0) } ?? .bitrate(1)
        default: return .unknown(UnknownTag(name: "EXT-X-OURS", value: chance(2) ? name("value") : nil))
        }
    }

    private mutating func multivariant() -> MultivariantPlaylist {
        var playlist = MultivariantPlaylist()
        if chance(2) { playlist.version = number(1...12) }
        playlist.hasIndependentSegments = chance(2)
        playlist.entries.append(.variant(VariantStream(uri: name("variant"), bandwidth: number(1...9_999_999))))
        for _ in 0..<number(0...8) {
            switch number(0...6) {
            case 0: playlist.entries.append(.sessionKey(EncryptionKey(method: .aes128, uri: name("key"))))
            case 1: playlist.entries.append(.sessionData(SessionData(dataID: name("id"), value: name("value"))))
            case 2: playlist.entries.append(.iFrameStream(IFrameStream(uri: name("iframe"), bandwidth: number(1...99))))
            case 3: playlist.entries.append(.contentSteering(ContentSteering(serverURI: name("steer"))))
            case 4: playlist.entries.append(.unknown(UnknownTag(name: "EXT-X-OURS")))
            case 5:
                var variant = VariantStream(uri: name("variant"), bandwidth: number(1...9_999_999))
                variant.resolution = Resolution(width: number(1...4000), height: number(1...4000))
                variant.codecs = ["avc1.4d401f", "mp4a.40.2"]
                playlist.entries.append(.variant(variant))
            default:
                playlist.entries.append(.rendition(Rendition(type: .audio, groupID: name("group"), name: name("name"))))
            }
        }
        return playlist
    }
}
