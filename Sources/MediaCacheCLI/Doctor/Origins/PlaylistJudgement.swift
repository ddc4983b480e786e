import HLS
import HTTPTypes
import MediaCache

/// What playlists and the answers to what they name mean. Pure functions of what came.
enum PlaylistJudgement {
    static func variants(_ playlist: MultivariantPlaylist) -> Finding {
        let variants = playlist.variants
        guard !variants.isEmpty else {
            return .failure(
                "variants", "there is none", advice: "nothing of it plays; the playlist's author has to mend it")
        }
        let heights = Set(variants.compactMap { $0.resolution.map { Int($0.height) } }).sorted(by: >)
        let shown = heights.isEmpty ? "" : ": \(heights.prefix(8).map { "\($0)p" }.joined(separator: ", "))"
        let count = variants.count == 1 ? "1 variant stream" : "\(variants.count) variant streams"
        let renditions = playlist.renditions.isEmpty ? "" : "; \(playlist.renditions.count) renditions"
        return .ok("variants", count + shown + renditions)
    }

    static func kind(_ playlist: MediaPlaylist) -> Finding {
        let count = playlist.segments.count.counted("segment")
        let target = playlist.targetDuration.map { ", target duration \($0) s" } ?? ""
        let length = DurationText.describe(.nanoseconds(playlist.durationNanoseconds))
        let encryption = EncryptionSummary(playlist).text
        let lock = encryption == "none" ? "" : ", encrypted: \(encryption)"
        guard playlist.hasEndList else { return .ok("stream", "live, \(count) of \(length)\(target)\(lock)") }
        return .ok("stream", "on demand, \(count), \(length)\(target)\(lock)")
    }

    static func diagnostics(_ inspection: Inspection, _ check: String) -> Finding {
        let errors = inspection.diagnostics.filter { $0.severity == .error }
        let warnings = inspection.diagnostics.count { $0.severity == .warning }
        let kind = inspection.parsed.playlist.kind == .multivariant ? "multivariant playlist" : "media playlist"
        guard let first = errors.first else {
            let text = warnings == 0 ? "nothing wrong with it" : warnings == 1 ? "1 warning" : "\(warnings) warnings"
            return .ok(check, "\(kind), \(text)")
        }
        let count = errors.count == 1 ? "1 error" : "\(errors.count) errors"
        return .warning(
            check, "\(kind), \(count): line \(first.line) [\(first.rule)] \(first.message)",
            advice: "players differ in what they make of it; `mediacache inspect` lists all")
    }

    static func part(_ answer: OriginProbe.Answer, _ check: String, isEncrypted: Bool) -> Finding {
        guard (200..<300).contains(answer.status) else {
            return .failure(
                check, "\(answer.url) answers \(answer.status)",
                advice: "players stop there; it may want a header or a cookie, or the link has expired")
        }
        let latency = "\(Int((answer.latency / .milliseconds(1)).rounded())) ms"
        if isEncrypted { return .ok(check, "can be had (\(answer.status) after \(latency)), encrypted") }
        let sniffed = answer.bytes.withUnsafeBytes(MediaType.sniff)
        if let sniffed, MediaType.isDocument(sniffed) || sniffed.hasPrefix("text/html") {
            return .failure(
                check, "\(answer.url) is a page (\(sniffed)), no media",
                advice: "it may want a login, or the link has expired")
        }
        let told = MediaType.essence(answer.fields[.contentType])
        return .ok(check, "can be had (\(answer.status) after \(latency)), \(sniffed ?? told ?? "of no known kind")")
    }

    static func key(_ answer: OriginProbe.Answer, _ name: String) -> Finding {
        guard (200..<300).contains(answer.status) else {
            return .failure(
                "key", "\(name): \(answer.url) answers \(answer.status)",
                advice: "without it nothing plays; it may want a header or a cookie")
        }
        // Section 5.2 of RFC 8216bis.
        guard answer.isWhole, answer.bytes.count == 16 else {
            let count = answer.isWhole ? "\(answer.bytes.count)" : "more than \(answer.bytes.count)"
            return .failure(
                "key", "\(name): \(count) bytes instead of 16", advice: "it's no key; it may want a login or a header")
        }
        return .ok("key", "\(name), 16 bytes")
    }
}
