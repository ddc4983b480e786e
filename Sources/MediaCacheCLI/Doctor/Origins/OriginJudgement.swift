import Foundation
import HTTPTypes
import MediaCache

/// What answers of an origin mean for who wants to play and keep what it has. Pure functions of what came.
enum OriginJudgement {
    /// All that the answers say of the resource.
    static func findings(_ facts: OriginFacts) -> [Finding] {
        [type(facts), length(facts), ranges(facts), suffix(facts), validators(facts), coding(facts), caching(facts)]
            .compactMap(\.self)
    }

    /// Why nobody answers.
    static func unreachable(_ error: CacheError, _ url: ResourceURL) -> Finding {
        let advice =
            switch error.code {
            case .timedOut: "see whether a firewall or proxy stands between; --proxy names one"
            case .forbiddenAddress: "allow the network with --allow-net, if you trust it"
            default:
                url.scheme == "https"
                    ? "see whether the host and port are right; a certificate of your own is named by --ca-file"
                    : "see whether the host and port are right, and whether it speaks http"
            }
        return .failure("connection", error.description, advice: advice)
    }

    /// What a status that brings no media means.
    static func refusal(_ answer: OriginProbe.Answer) -> Finding {
        let advice =
            switch answer.status {
            case 401, 403:
                "it wants to know who asks: a URL with a name and password, --header, or --cookies; a link may have expired"
            case 404, 410: "see whether the URL is right; a link may have expired"
            case 407: "the proxy wants a name and password: --proxy http://name:password@host:port"
            case 416: "it's empty, or refuses ranges"
            case 429: "it's asked too often; wait a while, or limit --transfers"
            case 451: "it isn't given to where you are"
            case 500...: "the origin has trouble; try again later"
            default: "see what a browser gets from it"
            }
        return .failure("status", "\(answer.status)", advice: advice)
    }

    /// Whether the origin's clock and ours agree.
    static func clock(_ date: String?, now: Date) -> Finding {
        guard let date, let theirs = HTTPDate.parse(date) else {
            return .ok("clock", "the origin doesn't tell the time")
        }
        let difference = now.timeIntervalSince(theirs)
        guard abs(difference) > 60 else { return .ok("clock", "the origin's agrees with ours") }
        let text = DurationText.describe(.seconds(abs(difference)))
        return .warning(
            "clock", "ours is \(text) \(difference > 0 ? "ahead of" : "behind") the origin's",
            advice: "set yours if it's wrong (timedatectl); links that expire and cookies go by it")
    }

    static func type(_ facts: OriginFacts) -> Finding {
        let told = MediaType.essence(facts.first.fields[.contentType])
        let type = facts.type
        if MediaType.isDocument(type) {
            return .failure(
                "type", "a page (\(type)), no media",
                advice: "it may want a login, or the link has expired; open it in a browser")
        }
        guard let sniffed = facts.sniffed else {
            return .ok("type", "\(told ?? "not told"), which the first bytes neither prove nor disprove")
        }
        guard let told, told != sniffed, MediaType.resolve(sniffed: sniffed, declared: told, pathExtension: "") != told
        else { return .ok("type", type) }
        return .warning(
            "type", "told as \(told), but it's \(sniffed) by its first bytes",
            advice: "nothing has to be done here: players are told \(type); the origin should set Content-Type")
    }

    static func length(_ facts: OriginFacts) -> Finding {
        guard let length = facts.length else {
            return .warning(
                "length", "not told",
                advice: "players can't seek, and how long a download takes isn't known, until all of it came")
        }
        return .ok("length", "\(ByteCount(length)) (\(length) bytes)")
    }

    static func ranges(_ facts: OriginFacts) -> Finding {
        let asked = "bytes=0-1023"
        switch facts.first.status {
        case 206:
            let verdict = ResponseCheck.judge(
                status: 206, headerFields: facts.first.fields, asked: .from(0, to: 1024), known: nil,
                url: facts.first.url, now: Date())
            if case .refuse(let error) = verdict {
                return .failure(
                    "ranges", error.message, advice: "the origin has to be mended; its answers can't be trusted")
            }
            return .ok("ranges", "any part can be asked for (206 to \(asked))")
        default:
            // A playlist or a small file is asked for whole.
            if facts.first.isWhole {
                return .ok("ranges", "not taken, and at this size not needed (\(facts.first.status))")
            }
            return .warning(
                "ranges", "\(facts.first.status) to \(asked): only all of it can be asked for",
                advice: "seeking ahead waits for what lies before, and a download that breaks off begins anew")
        }
    }

    static func suffix(_ facts: OriginFacts) -> Finding? {
        guard facts.takesRanges, let answer = facts.suffix, let length = facts.length, length > 64 else { return nil }
        let content = answer.fields[.contentRange].flatMap(ContentRange.init)
        if answer.status == 206, content?.range == length - 64..<length, answer.bytes.count == 64 { return nil }
        let what = answer.fields[.contentRange].map { " with “\($0)”" } ?? ""
        return .warning(
            "suffix range", "\(answer.status)\(what) to bytes=-64",
            advice: "nothing has to be done: the cache asks by position where the length is known")
    }

    static func validators(_ facts: OriginFacts) -> Finding {
        let check = "validators"
        func validator(_ answer: OriginProbe.Answer) -> Validator {
            Validator(entityTag: answer.fields[.eTag], lastModified: answer.fields[.lastModified])
        }
        let first = validator(facts.first)
        if let second = facts.second.map(validator), second.entityTag != first.entityTag {
            return .warning(
                check, "the entity tag alternates (\(first.entityTag ?? "none"), \(second.entityTag ?? "none"))",
                advice: "several servers answer; with --compare-alternating-tags bytes are compared instead")
        }
        if let tag = first.strongEntityTag { return .ok(check, "strong entity tag \(tag)") }
        if let date = first.lastModified {
            let tag = first.entityTag.map { "weak entity tag \($0) and " } ?? ""
            return .ok(check, "\(tag)the date \(date); where a download goes on, 64 KiB are compared")
        }
        return .warning(
            check, first.entityTag.map { "only the weak entity tag \($0)" } ?? "none",
            advice: "a change of the file is only noticed by its length and by comparing 64 KiB")
    }

    static func coding(_ facts: OriginFacts) -> Finding? {
        guard let coding = ResponseCheck.contentCoding(facts.first.fields) else { return nil }
        if MediaType.isPlaylist(facts.type) { return .ok("coding", coding) }
        return .failure(
            "coding", "\(coding), though identity was asked for",
            advice: "parts of it can't be put together; the origin has to switch compression off for media")
    }

    static func caching(_ facts: OriginFacts) -> Finding {
        let fields = facts.first.fields
        if CacheControl(fields).noStore {
            return .warning(
                "caching", "the origin forbids to keep it (Cache-Control: no-store)",
                advice: "it plays through and isn't kept; `get` and `record` keep it all the same")
        }
        if ResponseCheck.varies(fields) {
            return .warning(
                "caching", "others may get something else (Vary: \(fields[.vary] ?? ""))",
                advice: "it plays through and isn't kept, unless `get` or `record` asks for it")
        }
        let freshness = Freshness(fields, now: Date())
        guard let until = freshness.freshUntil else {
            return .ok("caching", "may be kept; the origin doesn't say how long")
        }
        let seconds = until.timeIntervalSinceNow
        return .ok(
            "caching",
            "may be kept; "
                + (seconds > 0
                    ? "fresh for \(DurationText.describe(.seconds(seconds)))" : "asked about before each use"))
    }
}
