import Foundation
import HTTPTypes
import MediaCache
import Synchronization
import Testing

@testable import MediaLibrary

struct OriginDiagnosisTests {
    /// A fault of a scripted origin.
    enum Fault: Sendable {
        case timeOut
        case status(Int)
        /// A response with 3 bytes, fewer than requested.
        case truncation
    }

    /// A resource of a scripted origin.
    private struct Page: Sendable {
        var status = 200
        var fields: HTTPFields = [:]
        var body: [UInt8] = []
        var supportsRanges = true
        /// The entity tags, used in turn by consecutive requests to the origin.
        var tags: [String] = ["\"a\""]
        /// The faults by the number of the request to the origin, counted from 0.
        var faults: [Int: Fault] = [:]
    }

    private final class Origin: MediaCache.Origin {
        let ranges = Mutex<[String?]>([])
        /// The scope of the last request for each target.
        let scopes = Mutex<[String: AddressScope]>([:])
        private let pages: [String: Page]
        private let peer: AddressKind

        init(_ pages: [String: Page], peer: AddressKind = .unknown) {
            self.pages = pages
            self.peer = peer
        }

        func send(_ request: OriginRequest) async throws -> OriginResponse {
            scopes.withLock { $0[request.url.target] = request.scope }
            var response = try await answer(request)
            response.peer = peer
            return response
        }

        private func answer(_ request: OriginRequest) async throws -> OriginResponse {
            let number = ranges.withLock { ranges in
                ranges.append(request.headerFields[.range])
                return ranges.count - 1
            }
            guard let page = pages[request.url.target] else {
                return OriginResponse(status: 404, headerFields: [:], body: Body([]))
            }
            switch page.faults[number] {
            case .timeOut: throw CacheError(.timedOut, "the origin is silent")
            case .status(let status): return OriginResponse(status: status, headerFields: [:], body: Body([]))
            case .truncation: return OriginResponse(status: 206, headerFields: [:], body: Body([1, 2, 3]))
            case nil: break
            }
            var fields = page.fields
            if !page.tags.isEmpty { fields[.eTag] = page.tags[number % page.tags.count] }
            guard page.status == 200, page.supportsRanges, let text = request.headerFields[.range],
                let range = Self.range(text, of: page.body.count)
            else {
                fields[.contentLength] = "\(page.body.count)"
                return OriginResponse(status: page.status, headerFields: fields, body: Body(page.body))
            }
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(page.body.count)"
            fields[.contentLength] = "\(range.count)"
            return OriginResponse(status: 206, headerFields: fields, body: Body(Array(page.body[range])))
        }

        private static func range(_ text: String, of length: Int) -> Range<Int>? {
            let bounds = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
            if bounds[0].isEmpty { return Int(bounds[1]).map { max(0, length - $0)..<length } }
            guard let start = Int(bounds[0]), start < length else { return nil }
            return start..<min(length, (Int(bounds[1]) ?? length - 1) + 1)
        }
    }

    private final class Body: OriginBody {
        private let rest: Mutex<ArraySlice<UInt8>>

        init(_ bytes: [UInt8]) { rest = Mutex(bytes[...]) }

        func next() async throws -> (any OriginBuffer)? {
            let piece = rest.withLock { rest in
                defer { rest = rest.dropFirst(4096) }
                return Array(rest.prefix(4096))
            }
            return piece.isEmpty ? nil : piece
        }

        func cancel() { rest.withLock { $0 = [] } }
    }

    private func findings(_ origin: Origin, _ path: String) async throws -> [String: DiagnosisFinding] {
        let found = Mutex<[String: DiagnosisFinding]>([:])
        let diagnosis = OriginDiagnosis(
            of: try ResourceURL("http://127.0.0.1\(path)"), origin: origin, settings: TransferSettings())
        try await diagnosis.run { finding in found.withLock { $0[finding.check] = finding } }
        return found.withLock { $0 }
    }

    private static func box(_ type: String, _ count: Int) -> [UInt8] {
        let size = UInt32(count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8)
            + [UInt8](repeating: 0, count: count)
    }

    private static let front = box("ftyp", 16).enumerated().map { $0.offset < 12 ? $0.element : UInt8(ascii: "i") }

    @Test func findsIndexAtEndByBoxHeaders() async throws {
        let film = Self.front + Self.box("mdat", 900_000) + Self.box("moov", 5000)
        let origin = Origin(["/a": Page(fields: [.contentType: "video/mp4"], body: film)])
        let findings = try await findings(origin, "/a")
        #expect(findings["index"]?.outcome == .warning)
        #expect(findings["index"]?.found.contains("moov comes last, at 900 kB of 905 kB") == true)
        #expect(findings["index"]?.advice?.contains("--fast-start") == true)
        for check in ["connection", "type", "length", "ranges", "validators", "caching", "rate"] {
            #expect(findings[check]?.outcome == .ok, "\(check)")
        }
        // Three small ranges, the header of the last box, and the bounded read. No request lacks a range.
        let ranges = origin.ranges.withLock { $0 }
        #expect(ranges.count == 5 && ranges.allSatisfy { $0 != nil }, "\(ranges)")
    }

    /// The request for the header of the last box fails.
    @Test(arguments: [
        (Fault.timeOut, "the origin is silent"), (.status(503), "responded with 503"), (.truncation, "only 3 bytes"),
    ])
    func continuesAfterFailedCheckOfIndex(fault: Fault, reason: String) async throws {
        let film = Self.front + Self.box("mdat", 900_000) + Self.box("moov", 5000)
        let origin = Origin(["/a": Page(fields: [.contentType: "video/mp4"], body: film, faults: [3: fault])])
        let findings = try await findings(origin, "/a")
        #expect(findings["index"]?.outcome == .warning)
        #expect(findings["index"]?.found.contains(reason) == true, "\(findings["index"]?.found ?? "")")
        #expect(findings["ranges"]?.outcome == .ok && findings["rate"]?.outcome == .ok)
    }

    @Test func findsIndexAtFront() async throws {
        let film = Self.front + Self.box("moov", 100) + Self.box("mdat", 5000)
        let findings = try await findings(Origin(["/a": Page(body: film)]), "/a")
        #expect(findings["index"]?.outcome == .ok)
        #expect(findings["type"]?.outcome == .ok)
    }

    @Test(arguments: [(1, "moov comes after the fragments"), (20, "moov isn't among the first 12 boxes")])
    func reportsIndexAfterFragments(count: Int, found: String) async throws {
        let fragments = (0..<count).flatMap { _ in Self.box("moof", 100) + Self.box("mdat", 1000) }
        let film = Self.front + fragments + Self.box("moov", 100)
        let findings = try await findings(Origin(["/a": Page(body: film)]), "/a")
        #expect(findings["index"]?.outcome == .warning && findings["index"]?.found == found)
    }

    @Test func reportsMissingRangesAndValidators() async throws {
        let film = Self.front + Self.box("mdat", 900_000) + Self.box("moov", 5000)
        let page = Page(
            fields: [.contentType: "text/plain", .cacheControl: "no-store"], body: film, supportsRanges: false, tags: []
        )
        let findings = try await findings(Origin(["/a": page]), "/a")
        #expect(findings["ranges"]?.outcome == .warning)
        #expect(findings["validators"]?.found == "none")
        #expect(findings["caching"]?.found.contains("no-store") == true)
        #expect(findings["type"]?.found == "declared as text/plain, but the first bytes are video/mp4")
        #expect(findings["index"]?.outcome == .warning)
    }

    @Test func reportsAlternatingEntityTags() async throws {
        let page = Page(body: Array(repeating: 0x47, count: 5000), tags: ["\"a\"", "\"b\"", "\"b\""])
        let findings = try await findings(Origin(["/a": page]), "/a")
        #expect(findings["validators"]?.outcome == .warning)
        #expect(findings["validators"]?.advice?.contains("--compare-alternating-tags") == true)
    }

    @Test func detectsRedirectLoops() async throws {
        let origin = Origin([
            "/a": Page(status: 302, fields: [.location: "/b"]), "/b": Page(status: 301, fields: [.location: "/a"]),
        ])
        #expect(try await findings(origin, "/a")["redirect"]?.outcome == .failure)
        #expect(origin.ranges.withLock { $0.count } == 3)
    }

    @Test(arguments: [(401, "--header"), (404, "link"), (429, "wait"), (503, "later")])
    func givesAdviceForErrorStatus(status: Int, word: String) async throws {
        let findings = try await findings(Origin(["/a": Page(status: status)]), "/a")
        #expect(findings["status"]?.outcome == .failure && findings["status"]?.found == "\(status)")
        #expect(findings["status"]?.advice?.contains(word) == true)
        #expect(findings["type"] == nil)
    }

    @Test func reportsWebPages() async throws {
        let findings = try await findings(
            Origin(["/a.mp4": Page(fields: [.contentType: "video/mp4"], body: Array("<!DOCTYPE html><html>".utf8))]),
            "/a.mp4")
        #expect(findings["type"]?.outcome == .failure)
    }

    @Test func checksPlaylistsSegmentAndKeyOfStream() async throws {
        let segment = (0..<20).flatMap { _ in [0x47] + [UInt8](repeating: 0, count: 187) }
        let multivariant =
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360\nlow\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=2,RESOLUTION=1280x720\nhigh\n"
        let media =
            "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n#EXTINF:4,\n0.ts\n#EXTINF:4,\n1.ts\n"
        func pages(key: Int) -> [String: Page] {
            [
                "/m": Page(fields: [.contentType: "application/vnd.apple.mpegurl"], body: Array(multivariant.utf8)),
                "/high": Page(body: Array(media.utf8)), "/1.ts": Page(body: segment),
                "/key": Page(body: [UInt8](repeating: 1, count: key)),
            ]
        }
        let right = try await findings(Origin(pages(key: 16)), "/m")
        #expect(right["variants"]?.found == "2 variant streams: 720p, 360p")
        #expect(
            right["stream"]?.found.hasPrefix("live, 2 segments, 8s, target duration 4 s, encrypted: AES-128") == true)
        // The newest segment of a live stream is requested; the origin lacks the older one.
        #expect(right["segment"]?.found.hasSuffix("encrypted") == true)
        #expect(right["key"]?.outcome == .ok)
        #expect(right["playlist"]?.outcome == .ok && right["variant stream"]?.outcome == .ok)
        let wrong = try await findings(Origin(pages(key: 5)), "/m")
        #expect(wrong["key"]?.found.hasSuffix("5 bytes instead of 16") == true)
        var missing = pages(key: 16)
        missing["/1.ts"] = nil
        #expect(try await findings(Origin(missing), "/m")["segment"]?.outcome == .failure)
    }

    @Test(arguments: [
        ("AES-128", 16, "AES-128 (identity), 16 bytes"), ("AES-256", 32, "AES-256 (identity), 32 bytes"),
        ("AES-256-CTR", 32, "AES-256-CTR (identity), 32 bytes"), ("SAMPLE-AES", 16, "SAMPLE-AES (identity), 16 bytes"),
        ("AES-256", 16, "AES-256 (identity): 16 bytes instead of 32"),
        ("SAMPLE-AES-CTR", 16, "SAMPLE-AES-CTR (identity): protected by a DRM system"),
        ("AES-256-GCM", 32, "AES-256-GCM (identity): unknown encryption method"),
    ])
    func comparesKeyWithLengthOfCipher(method: String, count: Int, found: String) async throws {
        let media =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=\(method),URI=\"/key\"\n#EXTINF:4,\n/1.ts\n#EXT-X-ENDLIST\n"
        let origin = Origin([
            "/m": Page(fields: [.contentType: "application/vnd.apple.mpegurl"], body: Array(media.utf8)),
            "/1.ts": Page(body: [UInt8](repeating: 0xA7, count: 1600)),
            "/key": Page(body: [UInt8](repeating: 1, count: count)),
        ])
        #expect(try await findings(origin, "/m")["key"]?.found == found)
    }

    @Test(arguments: [
        (
            "base64,AAAAAAAAAAAAAAAAAAAAAA==", DiagnosisFinding.Outcome.ok,
            "AES-128 (identity), 16 bytes in the playlist"
        ),
        ("base64,AAAA", .failure, "AES-128 (identity): 3 bytes instead of 16"),
        ("base64,A", .failure, "AES-128 (identity) has no URL that can be requested"),
    ])
    func checksKeyInPlaylist(data: String, outcome: DiagnosisFinding.Outcome, found: String) async throws {
        let media =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n"
            + "#EXT-X-KEY:METHOD=AES-128,URI=\"data:application/octet-stream;\(data)\"\n#EXTINF:4,\n/1.ts\n#EXT-X-ENDLIST\n"
        let origin = Origin([
            "/m": Page(fields: [.contentType: "application/vnd.apple.mpegurl"], body: Array(media.utf8)),
            "/1.ts": Page(body: [UInt8](repeating: 0xA7, count: 1600)),
        ])
        let finding = try #require(try await findings(origin, "/m")["key"])
        #expect(finding.outcome == outcome && finding.found == found, "\(finding.found)")
    }

    @Test(arguments: [
        ("", "1 error: [4.4.3.1-"), ("#EXT-X-TARGETDURATION:4\n#EXTINF:9,\n0.ts\n", "1 error: line 4 [4.4.3.1-"),
    ])
    func reportsFirstErrorOfPlaylist(lines: String, found: String) async throws {
        let text = "#EXTM3U\n\(lines)#EXTINF:1,\n1.ts\n#EXT-X-ENDLIST\n"
        let page = Page(fields: [.contentType: "application/vnd.apple.mpegurl"], body: Array(text.utf8))
        let finding = try await findings(Origin(["/m": page]), "/m")["playlist"]
        #expect(finding?.outcome == .warning && finding?.found.contains(found) == true, "\(finding?.found ?? "")")
    }

    @Test func acceptsGreatestOffsetOfByteRange() async throws {
        let media =
            "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"/i\",BYTERANGE=\"9@9223372036854775807\"\n"
            + "#EXTINF:4,\n#EXT-X-BYTERANGE:1@9223372036854775806\n/1\n#EXT-X-ENDLIST\n"
        let origin = Origin([
            "/m": Page(fields: [.contentType: "application/vnd.apple.mpegurl"], body: Array(media.utf8)),
            "/i": Page(body: Self.front), "/1": Page(body: Self.front),
        ])
        let findings = try await findings(origin, "/m")
        #expect(findings["initialization"]?.outcome == .ok && findings["segment"]?.outcome == .ok)
        #expect(origin.ranges.withLock { $0.contains("bytes=9223372036854775807-9223372036854775807") })
    }

    /// The user's URL may have any address. URLs in a public document or redirect must be public.
    @Test(arguments: [(AddressKind.global, AddressScope.publicOnly), (.local, .any)])
    func requestsUseScopeOfDocument(_ peer: AddressKind, _ scope: AddressScope) async throws {
        let type: HTTPFields = [.contentType: "application/vnd.apple.mpegurl"]
        let media =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:METHOD=AES-128,URI=\"/key\"\n#EXTINF:4,\n/1.ts\n#EXT-X-ENDLIST\n"
        let pages = [
            "/a": Page(status: 302, fields: [.location: "/m"]),
            "/m": Page(fields: type, body: Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/high\n".utf8)),
            "/high": Page(fields: type, body: Array(media.utf8)), "/key": Page(body: [UInt8](repeating: 1, count: 16)),
            "/1.ts": Page(body: [UInt8](repeating: 0x47, count: 1880)),
        ]
        let redirected = Origin(pages, peer: peer)
        _ = try await findings(redirected, "/a")
        #expect(
            redirected.scopes.withLock { $0 }
                == ["/a": .any, "/m": scope, "/high": scope, "/key": scope, "/1.ts": scope])
        let named = Origin(pages, peer: peer)
        _ = try await findings(named, "/m")
        #expect(named.scopes.withLock { $0 } == ["/m": .any, "/high": scope, "/key": scope, "/1.ts": scope])
    }

    @Test(arguments: [
        (200, 60_000, false, DiagnosisFinding.Outcome.warning, "20.0 kB/s over 60.0 kB; first byte after 7 ms"),
        (206, 3_000_000, false, .ok, "1.00 MB/s over 3.00 MB; first byte after 7 ms"),
        (206, 60_000, true, .ok, "the resource is too short to measure (60.0 kB); first byte after 7 ms"),
        (503, 60, true, .warning, "the rate can't be measured, because the origin responded with 503"),
    ])
    func ratesOrigin(status: Int, count: Int, isWhole: Bool, outcome: DiagnosisFinding.Outcome, found: String) throws {
        let response = OriginProbe.Response(
            url: try ResourceURL("http://h/a"), status: status, fields: [:],
            bytes: [UInt8](repeating: 0, count: count), isWhole: isWhole, latency: .milliseconds(7),
            reading: .seconds(3))
        let finding = OriginFindings.rate(response, timeLimit: .seconds(3))
        #expect(finding.outcome == outcome && finding.found == found, "\(finding.found)")
    }

    @Test func measuresRateOfRedirectedSegment() async throws {
        let media = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n/1.ts\n#EXT-X-ENDLIST\n"
        let origin = Origin([
            "/m": Page(fields: [.contentType: "application/vnd.apple.mpegurl"], body: Array(media.utf8)),
            "/1.ts": Page(status: 302, fields: [.location: "/cdn/1.ts"]),
            "/cdn/1.ts": Page(body: [UInt8](repeating: 0x47, count: 1880)),
        ])
        let rate = try await findings(origin, "/m")["rate"]
        #expect(rate?.outcome == .ok && rate?.found.contains("(1.88 kB)") == true, "\(rate?.found ?? "")")
    }

    @Test(arguments: [(2, DiagnosisFinding.Outcome.ok), (-30, .ok), (3600, .warning), (-3600, .warning)])
    func comparesClocks(seconds: Double, outcome: DiagnosisFinding.Outcome) {
        let now = Date(timeIntervalSince1970: 1_784_000_000)
        let date = "Tue, 14 Jul 2026 03:33:20 GMT"
        #expect(OriginFindings.clock(date, now: now + seconds).outcome == outcome)
    }
}
