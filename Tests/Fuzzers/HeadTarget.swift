import Foundation
import HTTPTypes

@testable import MediaCache
@testable import MediaCacheCurl

extension FuzzTarget {
    /// Heads of an origin's responses, and everything derived from their fields.
    static let head = FuzzTarget(name: "http-head") {
        [
            """
            HTTP/1.1 206 Partial Content
            Content-Range: bytes 100-199/1000
            Content-Length: 100
            Content-Type: video/mp4; codecs="avc1.4d401f"
            ETag: "a"
            Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT
            Cache-Control: max-age=60, must-revalidate
            Age: 5
            """,
            """
            HTTP/1.1 103 Early Hints
            Link: </a>

            HTTP/1.1 200 OK
            Content-Length: 1000
            Expires: Sunday, 06-Nov-94 08:49:37 GMT
            Date: Sun Nov  6 08:49:37 1994
            Vary: Accept-Encoding
            Transfer-Encoding: chunked
            """,
            """
            HTTP/1.1 503 Service Unavailable
            Retry-After: 120
            Location: ../b?c#d
            Server: a
             folded
            """,
            "HTTP/2 416\nContent-Range: bytes */1000",
        ].map { Array($0.replacing("\n", with: "\r\n").utf8) + Array("\r\n\r\n".utf8) }
    } check: { bytes in
        var head = CurlHead()
        var rest = bytes[...]
        while !rest.isEmpty, !head.isComplete {
            let line = rest.prefix(through: rest.firstIndex(of: 0x0A) ?? rest.endIndex - 1)
            guard (try? Array(line).withUnsafeBytes({ try head.receive($0, from: "origin.example") })) != nil else {
                return nil
            }
            rest = rest[line.endIndex...]
        }
        for field in head.fields where field.value.unicodeScalars.contains(where: { ["\r", "\n", "\0"].contains($0) }) {
            return "The field \(field) contains CR, LF or NUL."
        }
        return fieldsProblem(head.fields) ?? responseProblem(head)
    }

    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func fieldsProblem(_ fields: HTTPFields) -> String? {
        for known in [nil, Freshness(freshUntil: now + 60, mustRevalidate: true)] {
            let freshness =
                known.map { Freshness(fields, confirming: $0, from: now - 10, now: now) } ?? Freshness(fields, now: now)
            if let date = freshness.freshUntil, !date.timeIntervalSince1970.isFinite {
                return "The end of the freshness lifetime is \(date.timeIntervalSince1970)."
            }
            _ = freshness.use(validatedAt: now - 10, checkedThisOpening: true, now: now)
        }
        for text in fields.compactMap({ HTTPDate.canonical($0.value) }) where HTTPDate.canonical(text) != text {
            return "The canonical date “\(text)” isn't canonical."
        }
        for type in fields.compactMap({ MediaType.parse($0.value) })
        where MediaType.parse(type.essence)?.essence != type.essence {
            return "The media type “\(type.essence)” is parsed differently."
        }
        _ = ResponseCheck.refusal(fields, TransferSettings())
        guard let location = fields[.location], let url = try? url.resolve(location) else { return nil }
        return problem(
            "“\(location)” resolves to “\(url)”, which is parsed differently.",
            unless: (try? ResourceURL("\(url)")) == url.withoutUserInfo)
    }

    private static let url = try! ResourceURL("https://origin.example/a/film.mp4")
    private static let requests: [RequestedRange?] = [
        nil, .all, .from(100), .closed(0, through: 99), .closed(100, through: 199), .suffix(50),
    ]
    private static let representations = [
        nil, KnownRepresentation(validator: Validator(entityTag: "\"a\""), length: 1000),
        KnownRepresentation(validator: Validator(), length: nil),
    ]

    private static func responseProblem(_ response: CurlHead) -> String? {
        for requested in requests {
            for known in representations {
                do {
                    let verdict = try ResponseCheck.judge(
                        status: response.status, headerFields: response.fields, requested: requested, known: known,
                        url: url, now: now)
                    if let problem = verdictProblem(verdict, requested, known) {
                        return "\(problem) \(response.status) \(response.fields)"
                    }
                } catch {
                    if let delay = error.retryAfter, !(Duration.zero...Duration.seconds(86_400)).contains(delay) {
                        return "Retry-After is \(delay)."
                    }
                }
            }
        }
        return nil
    }

    private static func verdictProblem(
        _ verdict: ResponseCheck.Verdict, _ requested: RequestedRange?, _ known: KnownRepresentation?
    ) -> String? {
        let head: CheckedHead
        switch verdict {
        case .changed(nil): return nil
        case .use(let checked): head = checked
        case .changed(let checked?): head = checked
        }
        let limit = ContentRange.maximumLength
        let total = head.completeLength ?? limit
        guard head.start >= 0, total <= limit, head.end.map({ (head.start...total).contains($0) }) ?? true else {
            return "The body's range is \(head.start)..<\(head.end ?? -1) of \(total)."
        }
        guard case .use = verdict else { return nil }
        if let length = known?.length, let total = head.completeLength, total != length {
            return "The complete length is \(total) instead of \(length)."
        }
        guard !head.ignoredRange, let bounds = requested?.bounds else { return nil }
        guard head.start == bounds.start, bounds.end.map({ (head.end ?? $0) <= $0 }) ?? true else {
            return "The range \(head.start)..<\(head.end ?? -1) wasn't requested."
        }
        return nil
    }
}
