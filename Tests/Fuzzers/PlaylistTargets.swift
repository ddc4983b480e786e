import FormatProperties
import HLS

extension FuzzTarget {
    /// Playlists. Two zero bytes end one playlist, and an update of it follows.
    static let playlist = FuzzTarget(name: "playlist") {
        [Array("\(PlaylistSeeds.media)\0\0\(PlaylistSeeds.update)".utf8), Array(PlaylistSeeds.lowLatency.utf8)]
    } check: { bytes in
        var check = PlaylistCheck()
        for playlist in playlists(bytes) {
            if let problem = check.problem(playlist) { return problem }
        }
        return nil
    }

    private static func playlists(_ bytes: [UInt8]) -> [[UInt8]] {
        guard let separator = bytes.firstRange(of: [0, 0]) else { return [bytes] }
        return [Array(bytes[..<separator.lowerBound]), Array(bytes[separator.upperBound...])]
    }

    /// Multivariant playlists, with the selection of streams and the references.
    static let multivariant = FuzzTarget(name: "multivariant") {
        [Array(PlaylistSeeds.multivariant.utf8)]
    } check: { bytes in
        var check = PlaylistCheck()
        if let problem = check.problem(bytes) ?? referencesProblem(bytes) { return problem }
        guard let parsed = try? PlaylistParser().parse(bytes), case .multivariant(let playlist) = parsed.playlist else {
            return nil
        }
        return selectionProblem(playlist)
    }

    private static let base = "https://origin.example/a/b/main.m3u8?token=1"

    private static func referencesProblem(_ bytes: [UInt8]) -> String? {
        let references = PlaylistReferences()
        for reference in references.all(in: bytes) {
            guard reference.bytes.lowerBound >= 0, reference.bytes.upperBound <= bytes.count else {
                return "The reference \(reference) is outside of the playlist."
            }
            let resolved = URLReference.resolve(reference.uri, against: base)
            guard URLReference.resolve(resolved, against: base) == resolved else {
                return "“\(reference.uri)” resolves to “\(resolved)”, which doesn't resolve to itself."
            }
        }
        let rewritten = references.rewritten(bytes) { _ in "/r" }
        let missed = references.all(in: rewritten).first { $0.uri != "/r" }
        return missed.map { "The reference \($0) wasn't replaced." }
    }

    private static let criteria: [[VariantSelection]] = [
        [.highest], [.lowest], [.bandwidth(atMost: 1_000_000)], [.height(atMost: 720)], [.codec("avc1"), .highest],
        [.language("de")],
    ]

    private static func selectionProblem(_ playlist: MultivariantPlaylist) -> String? {
        let variants = Set(playlist.variants)
        for selection in criteria where !variants.isSuperset(of: playlist.variants(selection)) {
            return "\(selection) selects a variant stream that isn't in the playlist."
        }
        for variant in playlist.variants.prefix(20) {
            let renditions = playlist.renditions(of: variant)
            for type in [RenditionType.audio, .video, .subtitles, .closedCaptions] {
                guard let rendition = playlist.rendition(type, of: variant, language: "de") else { continue }
                guard renditions.contains(rendition) else { return "A rendition isn't in the stream's groups." }
            }
        }
        let reduced = RedundantStreams(of: playlist)
        guard variants.isSuperset(of: reduced.playlist.variants), variants.isEmpty == reduced.playlist.variants.isEmpty
        else { return "The removal of copies changed the variant streams." }
        return nil
    }
}

/// Playlists with tags of most kinds.
private enum PlaylistSeeds {
    static let media = """
        #EXTM3U
        #EXT-X-VERSION:8
        #EXT-X-DEFINE:NAME="h",VALUE="https://media.example"
        #EXT-X-TARGETDURATION:10
        #EXT-X-MEDIA-SEQUENCE:7
        #EXT-X-DISCONTINUITY-SEQUENCE:2
        #EXT-X-KEY:METHOD=AES-128,URI="{$h}/k",IV=0x000102030405060708090A0B0C0D0E0F
        #EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
        #EXT-X-PROGRAM-DATE-TIME:2024-03-01T12:00:00.250Z
        #EXTINF:9.009,first
        #EXT-X-BYTERANGE:1000@720
        all.mp4
        #EXT-X-DISCONTINUITY
        #EXT-X-DATERANGE:ID="ad",START-DATE="2024-03-01T12:00:18Z",X-ASSET-URI="ad.m3u8"
        #EXT-X-GAP
        #EXTINF:4,
        b.ts

        """
    static let update = """
        #EXTM3U
        #EXT-X-TARGETDURATION:10
        #EXT-X-MEDIA-SEQUENCE:7
        #EXT-X-SKIP:SKIPPED-SEGMENTS=2
        #EXTINF:4,
        c.ts
        #EXT-X-ENDLIST

        """
    static let lowLatency = """
        #EXTM3U
        #EXT-X-TARGETDURATION:4
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.02,CAN-SKIP-UNTIL=24
        #EXT-X-PART-INF:PART-TARGET=0.34
        #EXTINF:4,
        s100.mp4
        #EXT-X-PART:DURATION=2,URI="s101.0.mp4",INDEPENDENT=YES,BYTERANGE="100@0"
        #EXT-X-PRELOAD-HINT:TYPE=PART,URI="s101.1.mp4",BYTERANGE-START=100
        #EXT-X-RENDITION-REPORT:URI="../low/live.m3u8",LAST-MSN=101,LAST-PART=1

        """
    static let multivariant = """
        #EXTM3U
        #EXT-X-DEFINE:NAME="cdn",VALUE="//cdn"
        #EXT-X-CONTENT-STEERING:SERVER-URI="/steer",PATHWAY-ID="A"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,URI="{$cdn}/en"
        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="Deutsch",LANGUAGE="de-CH",FORCED=NO,URI="subs.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=640x360,AUDIO="aac",SUBTITLES="subs"
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=1280000,CODECS="avc1.4d401f,mp4a.40.2",RESOLUTION=640x360,PATHWAY-ID="B"
        copy.m3u8
        #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90000,URI="iframes.m3u8"
        #EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="Title",LANGUAGE="en"
        #EXT-X-SESSION-KEY:METHOD=AES-128,URI="key"

        """
}
