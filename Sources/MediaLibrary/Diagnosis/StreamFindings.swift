internal import HLS
internal import HTTPTypes
internal import MediaCache

/// The findings about playlists, segments and keys.
enum StreamFindings {
    static func variants(_ playlist: MultivariantPlaylist) -> DiagnosisFinding {
        let variants = playlist.variants
        guard !variants.isEmpty else {
            return .failure(
                "variants", "the playlist has none",
                advice: "the stream can't be played; the playlist must be fixed")
        }
        let heights = Set(variants.compactMap { $0.resolution?.height }).sorted(by: >)
        let shown = heights.isEmpty ? "" : ": \(heights.prefix(8).map { "\($0)p" }.joined(separator: ", "))"
        let renditions = playlist.renditions.isEmpty ? "" : "; \(playlist.renditions.count.counted("rendition"))"
        return .ok("variants", variants.count.counted("variant stream") + shown + renditions)
    }

    static func kind(_ playlist: MediaPlaylist) -> DiagnosisFinding {
        let count = playlist.segments.count.counted("segment")
        let target = playlist.targetDuration.map { ", target duration \($0) s" } ?? ""
        let length = DurationText.describe(.nanoseconds(playlist.durationNanoseconds))
        let summary = EncryptionSummary(playlist).text
        let encryption = summary == "none" ? "" : ", encrypted: \(summary)"
        guard playlist.hasEndList else { return .ok("stream", "live, \(count), \(length)\(target)\(encryption)") }
        return .ok("stream", "on demand, \(count), \(length)\(target)\(encryption)")
    }

    static func diagnostics(_ inspection: PlaylistInspection, _ check: String) -> DiagnosisFinding {
        let errors = inspection.diagnostics.filter { $0.severity == .error }
        let warnings = inspection.diagnostics.count { $0.severity == .warning }
        let kind = inspection.isMultivariant ? "multivariant playlist" : "media playlist"
        guard let first = errors.first else {
            return .ok(check, "\(kind), \(warnings == 0 ? "valid" : warnings.counted("warning"))")
        }
        let place = first.line > 0 ? "line \(first.line) " : ""
        return .warning(
            check, "\(kind), \(errors.count.counted("error")): \(place)[\(first.rule)] \(first.message)",
            advice: "players handle errors differently; `mediacache inspect` lists all")
    }

    static func part(_ response: OriginProbe.Response, _ check: String, isEncrypted: Bool) -> DiagnosisFinding {
        guard (200..<300).contains(response.status) else {
            return .failure(
                check, "\(response.url) responded with \(response.status)",
                advice: "players stop there; the request may need a header or a cookie, or the link has expired")
        }
        let latency = response.latency.inMilliseconds
        if isEncrypted { return .ok(check, "available (\(response.status) after \(latency)), encrypted") }
        let sniffed = response.bytes.withUnsafeBytes(MediaType.sniff)
        if let sniffed, MediaType.isDocument(sniffed) || sniffed.hasPrefix("text/html") {
            return .failure(
                check, "\(response.url) is a web page (\(sniffed)), not media",
                advice: "the link may need a login or have expired")
        }
        let type = sniffed ?? MediaType.essence(response.fields[.contentType]) ?? "of unknown type"
        return .ok(check, "available (\(response.status) after \(latency)), \(type)")
    }

    static func key(_ response: OriginProbe.Response, _ name: String, length: Int) -> DiagnosisFinding {
        guard (200..<300).contains(response.status) else {
            return .failure(
                "key", "\(name): \(response.url) responded with \(response.status)",
                advice: "the stream can't be played without it; the request may need a header or a cookie")
        }
        guard response.isWhole, response.bytes.count == length else {
            let count = response.isWhole ? "\(response.bytes.count)" : "more than \(response.bytes.count)"
            return .failure(
                "key", "\(name): \(count) bytes instead of \(length)",
                advice: "the response isn't a key; the request may need a login or a header")
        }
        return .ok("key", "\(name), \(length) bytes")
    }

    static func key(embedded bytes: [UInt8], _ name: String, length: Int) -> DiagnosisFinding {
        guard bytes.count == length else {
            return .failure(
                "key", "\(name): \(bytes.count) bytes instead of \(length)", advice: "the playlist must be fixed")
        }
        return .ok("key", "\(name), \(length) bytes in the playlist")
    }
}
