import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

struct ScriptedOriginTests {
    private let origin = ScriptedOrigin()
    private let body = ScriptedBody.random(seed: 1, length: 10_000)
    private let url: ResourceURL

    init() throws {
        url = try ResourceURL("https://media.example/film.mp4")
        origin[url] = ScriptedResource(body, entityTag: "\"1\"", lastModified: "Wed, 01 Jan 2025 00:00:00 GMT")
    }

    private func send(_ fields: HTTPFields = [:]) async throws -> OriginResponse {
        try await origin.send(OriginRequest(url: url, headerFields: fields))
    }

    private func read(_ response: OriginResponse) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try await response.body.next() { bytes += buffer.withUnsafeBytes { Array($0) } }
        return bytes
    }

    @Test(arguments: [
        ("bytes=0-0", 206, 0..<1), ("bytes=100-199", 206, 100..<200), ("bytes=9990-20000", 206, 9990..<10_000),
        ("bytes=9999-", 206, 9999..<10_000), ("bytes=-1", 206, 9999..<10_000), ("bytes=-20000", 206, 0..<10_000),
        ("bytes=5-4", 200, 0..<10_000), ("bytes=a-b", 200, 0..<10_000), ("items=0-1", 200, 0..<10_000),
        ("bytes=0-1,3-4", 200, 0..<10_000),
    ])
    func servesRanges(_ range: String, _ status: Int, _ expected: Range<Int>) async throws {
        let response = try await send([.range: range])
        #expect(response.status == status)
        let field = status == 206 ? "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/10000" : nil
        #expect(response.headerFields[.contentRange] == field)
        #expect(response.headerFields[.contentLength] == String(expected.count))
        #expect(try await read(response) == Array(body.bytes[expected]))
    }

    @Test(arguments: ["bytes=10000-", "bytes=10000-10001", "bytes=-0"])
    func refusesRangesBeyondEnd(_ range: String) async throws {
        let response = try await send([.range: range])
        #expect(response.status == 416)
        #expect(response.headerFields[.contentRange] == "bytes */10000")
    }

    @Test(arguments: [
        ("\"1\"", 206), ("\"2\"", 200), ("W/\"1\"", 200), ("Wed, 01 Jan 2025 00:00:00 GMT", 206),
        ("Thu, 02 Jan 2025 00:00:00 GMT", 200),
    ])
    func evaluatesIfRange(_ condition: String, _ status: Int) async throws {
        #expect(try await send([.range: "bytes=0-9", .ifRange: condition]).status == status)
    }

    @Test(arguments: [("\"1\"", 304), ("W/\"1\"", 304), ("\"0\", \"1\"", 304), ("*", 304), ("\"2\"", 200)])
    func evaluatesIfNoneMatch(_ condition: String, _ status: Int) async throws {
        let response = try await send([.ifNoneMatch: condition])
        #expect(response.status == status)
        #expect(try await read(response).isEmpty == (status == 304))
    }

    @Test func recordsRequests() async throws {
        _ = try await read(send([.range: "bytes=10-19"]))
        let other = try await send()
        _ = try await other.body.next()
        other.body.cancel()
        let requests = origin.requests(for: url)
        #expect(requests.map(\.range) == [.closed(10, through: 19), nil])
        #expect(requests.map(\.status) == [206, 200])
        #expect(requests.map(\.progress) == [.complete, .cancelled])
        #expect(requests[0].bodyBytes == 10)
        #expect(origin.bodyBytes == 10_010)
    }

    @Test func usesQueuedFaultsBeforePermanentOnes() async throws {
        origin.always(url, .status(500))
        origin.next(url, .status(503, retryAfter: "3"))
        origin.next(url)
        let first = try await send()
        #expect(first.status == 503)
        #expect(first.headerFields[.retryAfter] == "3")
        #expect(try await send().status == 200)
        #expect(try await send().status == 500)
        origin.clearFaults(url)
        #expect(try await send().status == 200)
    }

    @Test func sendsWrongRanges() async throws {
        origin.next(url, .wrongContentRange(start: 1))
        origin.next(url, .wrongContentRange(end: -1))
        origin.next(url, .wrongContentRange(total: 5))
        origin.next(url, .contentRange(nil))
        var fields: [String?] = []
        for _ in 0..<4 {
            let response = try await send([.range: "bytes=10-19"])
            #expect(response.status == 206)
            fields.append(response.headerFields[.contentRange])
        }
        #expect(fields == ["bytes 11-19/10000", "bytes 10-18/10000", "bytes 10-19/10005", nil])

        origin.next(url, .ignoresRange)
        #expect(try await send([.range: "bytes=10-19"]).status == 200)
        origin.next(url, .rangeNotSatisfiable)
        #expect(try await send([.range: "bytes=10-19"]).status == 416)
        origin.next(url, .entityTag("\"9\""))
        let other = try await send([.range: "bytes=10-19", .ifRange: "\"1\""])
        #expect(other.status == 206)
        #expect(other.headerFields[.eTag] == "\"9\"")
    }

    @Test func sendsShortAndLongBodies() async throws {
        origin.next(url, .bodyShorter(by: 10))
        let short = try await send()
        #expect(short.headerFields[.contentLength] == "10000")
        await #expect(throws: CacheError.self) { _ = try await read(short) }
        #expect(origin.requests[0].bodyBytes == 9990)
        #expect(origin.requests[0].progress == .broken)

        origin.next(url, .bodyLonger(by: 10))
        let long = try await send([.range: "bytes=0-99"])
        #expect(long.headerFields[.contentLength] == "100")
        #expect(try await read(long).count == 110)

        origin.next(url, .closeDelimited(after: 50))
        let cut = try await send([.range: "bytes=0-99"])
        #expect(cut.headerFields[.contentLength] == nil)
        #expect(cut.headerFields[.contentRange] == "bytes 0-99/10000")
        #expect(try await read(cut) == Array(body.bytes[..<50]))
    }

    @Test func replacesResourceWithPageOrRedirect() async throws {
        origin.next(url, .page())
        let page = try await send([.range: "bytes=0-9"])
        #expect(page.status == 200)
        #expect(page.headerFields[.contentType] == "text/html; charset=utf-8")
        #expect(try await read(page).starts(with: Array("<!DOCTYPE html>".utf8)))
        origin.next(url, .redirect(to: "../other", status: 307))
        let redirect = try await send()
        #expect(redirect.status == 307)
        #expect(redirect.headerFields[.location] == "../other")
        #expect(try await origin.send(OriginRequest(url: ResourceURL("https://media.example/none"))).status == 404)
    }

    @Test func alternatesTagsAndReplacesVersions() async throws {
        origin[url]?.entityTags = ["\"a\"", "\"b\""]
        var tags: [String?] = []
        for _ in 0..<3 { tags.append(try await send().headerFields[.eTag]) }
        #expect(tags == ["\"a\"", "\"b\"", "\"a\""])

        let next = ScriptedBody.random(seed: 2, length: 10_000)
        let replacement = ScriptedResource(next, entityTag: "\"2\"")
        origin.next(url, .replace(after: 4000, with: replacement))
        #expect(try await read(send()) == body.bytes)
        #expect(try await send().headerFields[.eTag] == "\"2\"")

        origin[url] = ScriptedResource(body)
        origin.next(url, .replace(after: 4000, with: replacement, tearsBody: true))
        #expect(try await read(send()) == Array(body.bytes[..<4000] + next.bytes[4000...]))

        origin.replaceBody(url, with: .text("new"), entityTag: "\"3\"")
        let response = try await send()
        #expect(response.headerFields[.eTag] == "\"3\"")
        #expect(try await read(response) == Array("new".utf8))
    }

    @Test func delaysHeadAndBodyAtGates() async throws {
        let head = ScriptedGate()
        let middle = ScriptedGate()
        origin.next(url, .holdHead(head), .holdBody(at: 6000, middle), .bufferSize(1000))
        let reading = Task { try await read(send([.range: "bytes=5000-"])) }
        await head.waitForArrivals()
        #expect(origin.bodyBytes == 0)
        head.open()
        await middle.waitForArrivals()
        #expect(origin.bodyBytes == 1000)
        middle.open()
        #expect(try await reading.value == Array(body.bytes[5000...]))
    }

    @Test func measuresLimitsWithManualClock() async throws {
        let time = ManualTime()
        let origin = ScriptedOrigin(time: time)
        origin[url] = ScriptedResource(body)
        origin.next(url, .stall(after: 100))
        let limits = TransferLimits(stall: .seconds(15))
        let response = try await origin.send(OriginRequest(url: url, limits: limits))
        let first = try await response.body.next()
        #expect(first?.count == 100)
        let second = Task { () -> CacheError? in
            do {
                _ = try await response.body.next()
                return nil
            } catch {
                return error as? CacheError
            }
        }
        await time.waitForSleepers()
        time.advance(by: .seconds(16))
        #expect(await second.value?.code == .timedOut)
    }

    @Test func recordsNothingWhileUnreachable() async throws {
        origin.isReachable = false
        await #expect(throws: CacheError.self) { _ = try await send() }
        #expect(origin.requests.isEmpty)
        origin.isReachable = true
        #expect(try await send().status == 200)
    }

    @Test func endsWaitsWhenReached() async throws {
        let waiting = Task { await origin.waitForRequests(3) }
        for _ in 0..<3 { _ = try await send() }
        await waiting.value
        #expect(origin.requests.count == 3)
        await origin.wait { $0.allSatisfy { $0.progress == .cancelled } }
        #expect(origin.requests.allSatisfy { $0.bodyBytes == 0 })
    }
}
