import HLS

/// The documentation's examples as compiled code.
enum DocumentationExamples {
    static func read(_ body: [UInt8]) throws -> [String] {
        var lines: [String] = []
        func print(_ items: Any...) { lines.append(items.map { "\($0)" }.joined(separator: " ")) }
        // snippet read
        let parsed = try PlaylistParser().parse(body)
        switch parsed.playlist {
        case .media(let playlist):
            for resolved in playlist.resolvedSegments {
                print(resolved.mediaSequence, resolved.segment.uri, resolved.segment.duration)
            }
        case .multivariant(let playlist):
            for variant in playlist.variants { print(variant.bandwidth, variant.uri) }
        }
        for diagnostic in parsed.diagnostics { print(diagnostic) }
        // end
        return lines
    }

    static func write() -> String {
        // snippet write
        var playlist = MediaPlaylist(targetDuration: 6)
        playlist.type = .onDemand
        playlist.hasEndList = true
        for number in 1...3 {
            playlist.segments.append(MediaSegment(uri: "\(number).ts", duration: DecimalValue(6)))
        }
        playlist.segments[0].programDateTime = DateTime(nanosecondsSinceEpoch: 1_704_067_200_000_000_000)
        let text = PlaylistWriter().text(.media(playlist))
        // end
        return text
    }

    static func rewrite(_ body: [UInt8]) -> [UInt8] {
        // snippet rewrite
        let proxied = PlaylistReferences().rewritten(body) { reference in
            reference.form == .absolute ? "/proxy?url=" + reference.uri : nil
        }
        // end
        return proxied
    }

    static func follow(_ first: [UInt8], _ second: [UInt8]) throws -> ([String], Duration?) {
        var fetched: [String] = []
        func fetch(_ uri: String) { fetched.append(uri) }
        let parser = PlaylistParser()
        guard let previous = try parser.parse(first).playlist.media,
            let loaded = try parser.parse(second).playlist.media
        else { return ([], nil) }
        // snippet follow
        let reload = try previous.reloaded(with: loaded)
        for resolved in reload.playlist.resolvedSegments where reload.newSegments.contains(resolved.mediaSequence) {
            fetch(resolved.segment.uri)
        }
        let wait = reload.playlist.reloadInterval(after: reload.outcome)
        // end
        return (fetched, wait)
    }

    static func select(_ playlist: MultivariantPlaylist) -> (String?, String?) {
        // snippet select
        let variant = playlist.variants([.codec("avc1"), .height(atMost: 720)]).first
        let audio = variant.flatMap { playlist.rendition(.audio, of: $0, language: "de") }
        // end
        return (variant?.uri, audio?.uri)
    }
}
