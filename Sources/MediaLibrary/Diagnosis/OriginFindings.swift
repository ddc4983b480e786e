package import Foundation
internal import HTTPTypes
internal import MediaCache

/// The findings from an origin's responses.
package enum OriginFindings {
    static func all(_ facts: OriginFacts) -> [DiagnosisFinding] {
        [type(facts), length(facts), ranges(facts), suffix(facts), validators(facts), coding(facts), caching(facts)]
            .compactMap(\.self)
    }

    static func unreachable(_ error: CacheError, _ url: ResourceURL) -> DiagnosisFinding {
        let advice =
            switch error.code {
            case .timedOut: "check for a firewall; use --proxy if the network requires a proxy"
            case .forbiddenAddress: "if you trust that network, allow it with --allow-net"
            default:
                url.scheme == "https"
                    ? "check the host and port; use --ca-file to trust a private certificate authority"
                    : "check the host and port, and whether the server supports plain HTTP"
            }
        return .failure("connection", error.description, advice: advice)
    }

    static func refusal(_ response: OriginProbe.Response) -> DiagnosisFinding {
        let advice =
            switch response.status {
            case 401, 403:
                "the origin requires a login: add a name and password to the URL, or use --header or --cookies; "
                    + "the link may also have expired"
            case 404, 410: "check the URL; the link may have expired"
            case 407: "the proxy requires a name and password: --proxy http://name:password@host:port"
            case 416: "the resource is empty, or the origin rejects ranges"
            case 429: "the origin received too many requests; wait a while, or lower --transfers"
            case 451: "the origin doesn't serve your region"
            case 500...: "the origin reported an error; try again later"
            default: "compare with the response in a browser"
            }
        return .failure("status", "\(response.status)", advice: advice)
    }

    /// Compares the origin's clock, from the value of its `Date` field, with the local clock.
    package static func clock(_ date: String?, now: Date) -> DiagnosisFinding {
        guard let date, let origin = HTTPDate.parse(date) else {
            return .ok("clock", "the origin doesn't send its time")
        }
        let difference = now.timeIntervalSince(origin)
        guard abs(difference) > 60 else { return .ok("clock", "the origin's clock agrees with the local clock") }
        let text = DurationText.describe(.seconds(abs(difference)))
        return .warning(
            "clock", "the local clock is \(text) \(difference > 0 ? "ahead of" : "behind") the origin's",
            advice: "set the local clock if it's wrong (timedatectl); expiring links and cookies depend on it")
    }

    static func rate(_ response: OriginProbe.Response, timeLimit time: Duration) -> DiagnosisFinding {
        guard (200..<300).contains(response.status) else {
            return .warning(
                "rate", "the rate can't be measured, because the origin responded with \(response.status)",
                advice: "try again; the origin may limit the number of requests")
        }
        let seconds = response.reading / .seconds(1)
        let latency = response.latency.inMilliseconds
        let size = ByteCount(Int64(response.bytes.count))
        let isSlow = !response.isWhole && response.reading >= time
        // A smaller amount may come from buffers, faster than the connection.
        let isMeasurable = response.bytes.count >= 256 << 10
        guard isSlow || isMeasurable && seconds > 0.001 else {
            return .ok("rate", "the resource is too short to measure (\(size)); first byte after \(latency)")
        }
        let rate = ByteCount(Int64(Double(response.bytes.count) / seconds))
        let found = "\(rate)/s over \(size); first byte after \(latency)"
        guard isMeasurable else {
            return .warning(
                "rate", found, advice: "most videos stall at this rate; download the media with `mediacache get` first")
        }
        return .ok("rate", found)
    }

    private static func type(_ facts: OriginFacts) -> DiagnosisFinding {
        let declared = MediaType.essence(facts.first.fields[.contentType])
        let type = facts.type
        if MediaType.isDocument(type) {
            return .failure(
                "type", "a web page (\(type)), not media",
                advice: "the link may need a login or have expired")
        }
        guard let sniffed = facts.sniffed else {
            return .ok("type", "\(declared ?? "not declared"); the first bytes don't confirm it")
        }
        guard let declared, declared != sniffed,
            MediaType.resolve(sniffed: sniffed, declared: declared, pathExtension: "") != declared
        else { return .ok("type", type) }
        return .warning(
            "type", "declared as \(declared), but the first bytes are \(sniffed)",
            advice: "no action needed: players receive \(type); the origin should correct its Content-Type")
    }

    private static func length(_ facts: OriginFacts) -> DiagnosisFinding {
        guard let length = facts.length else {
            return .warning(
                "length", "not declared",
                advice: "players can't seek, and downloads show no remaining time, until the whole file is cached")
        }
        return .ok("length", "\(ByteCount(length)) (\(length) bytes)")
    }

    private static func ranges(_ facts: OriginFacts) -> DiagnosisFinding {
        let range = "bytes=0-1023"
        guard facts.first.status == 206 else {
            // Playlists and small files are requested as a whole.
            if facts.first.isWhole {
                return .ok("ranges", "not supported, and not needed at this size (\(facts.first.status))")
            }
            return .warning(
                "ranges", "\(facts.first.status) for \(range): range requests aren't supported",
                advice:
                    "seeking ahead waits until all preceding bytes are received, and interrupted downloads start over"
            )
        }
        do throws(CacheError) {
            _ = try ResponseCheck.judge(
                status: 206, headerFields: facts.first.fields, requested: .from(0, to: 1024), known: nil,
                url: facts.first.url, now: Date())
        } catch {
            return .failure(
                "ranges", error.message, advice: "the responses can't be trusted; the origin must be fixed")
        }
        return .ok("ranges", "supported (206 for \(range))")
    }

    private static func suffix(_ facts: OriginFacts) -> DiagnosisFinding? {
        guard facts.supportsRanges, let response = facts.suffix, let length = facts.length, length > 64 else {
            return nil
        }
        let content = response.fields[.contentRange].flatMap(ContentRange.init)
        if response.status == 206, content?.range == length - 64..<length, response.bytes.count == 64 { return nil }
        let range = response.fields[.contentRange].map { " with “\($0)”" } ?? ""
        return .warning(
            "suffix range", "\(response.status)\(range) for bytes=-64",
            advice: "no action needed: the cache requests absolute positions")
    }

    private static func validators(_ facts: OriginFacts) -> DiagnosisFinding {
        let check = "validators"
        func validator(_ response: OriginProbe.Response) -> Validator {
            Validator(entityTag: response.fields[.eTag], lastModified: response.fields[.lastModified])
        }
        let first = validator(facts.first)
        if let second = facts.second.map(validator), second.entityTag != first.entityTag {
            return .warning(
                check, "the entity tag alternates (\(first.entityTag ?? "none"), \(second.entityTag ?? "none"))",
                advice: "several servers respond; --compare-alternating-tags compares their content instead")
        }
        if let tag = first.strongEntityTag { return .ok(check, "strong entity tag \(tag)") }
        if let date = first.lastModified {
            let tag = first.entityTag.map { "weak entity tag \($0) and " } ?? ""
            return .ok(check, "\(tag)the date \(date); resumed downloads compare 64 KiB")
        }
        return .warning(
            check, first.entityTag.map { "only the weak entity tag \($0)" } ?? "none",
            advice: "a changed file is detected only by its length and by comparing 64 KiB")
    }

    private static func coding(_ facts: OriginFacts) -> DiagnosisFinding? {
        guard let coding = ResponseCheck.contentCoding(facts.first.fields) else { return nil }
        if MediaType.isPlaylist(facts.type) { return .ok("coding", coding) }
        return .failure(
            "coding", "\(coding), though identity was requested",
            advice: "ranges of compressed media can't be combined; the origin must disable compression for media")
    }

    private static func caching(_ facts: OriginFacts) -> DiagnosisFinding {
        let fields = facts.first.fields
        if CacheControl(fields).noStore {
            return .warning(
                "caching", "the origin forbids storing (Cache-Control: no-store)",
                advice: "playback isn't cached; `get` and `record` store it on request")
        }
        if ResponseCheck.varies(fields) {
            return .warning(
                "caching", "the response depends on request fields (Vary: \(fields[.vary] ?? ""))",
                advice: "playback isn't cached; `get` and `record` store it on request")
        }
        guard let until = Freshness(fields, now: Date()).freshUntil else {
            return .ok("caching", "allowed; the origin declares no lifetime")
        }
        let seconds = until.timeIntervalSinceNow
        return .ok(
            "caching",
            seconds > 0
                ? "allowed; fresh for \(DurationText.describe(.seconds(seconds)))"
                : "allowed; revalidated before each use")
    }
}
