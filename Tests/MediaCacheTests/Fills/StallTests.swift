import MediaCache
import MediaCacheTesting
import Testing

/// Tests of slow and failing origins, with a single reader and a simulated clock.
struct StallTests {
    static let body = ScriptedBody.random(seed: 101, length: 1_000_000)

    @Test func timesOutWithoutResponseHead() async throws {
        let time = ManualTime()
        let (origin, url) = try Self.origin(time: time)
        origin.always(url, .holdHead(ScriptedGate()))
        let reader = Self.reader(origin, url, time)
        let opening = Task { try await reader.open() }
        await time.waitForSleepers()
        time.advance(by: .seconds(21))
        await expectError(.timedOut) { try await opening.value }
    }

    @Test(arguments: [0, 1, 200_000])
    func resumesAfterStall(_ position: Int64) async throws {
        let time = ManualTime()
        // The origin itself doesn't time out here, so the engine's stall watch must detect the stall.
        let (origin, url) = try Self.origin(time: nil)
        let gate = ScriptedGate()
        origin.next(url, .stall(after: position, until: gate))
        let reader = Self.reader(origin, url, time, RetryPolicy(budget: 1, initialDelay: .zero))
        let reading = Task { try await reader.allBytes() }
        await gate.waitForArrivals()
        for _ in 0..<4 {
            await time.waitForSleepers()
            time.advance(by: .seconds(4))
        }
        #expect(try await reading.value == Self.body.bytes)
        #expect(origin.requests[1].range?.knownStart == position)
    }

    @Test func treatsTrickleAsStall() async throws {
        let time = ManualTime()
        let (origin, url) = try Self.origin(time: nil)
        let gates = (0..<9).map { _ in ScriptedGate() }
        origin.next(
            url, .stall(after: 10, until: gates[0]), .stall(after: 20, until: gates[1]),
            .stall(after: 30, until: gates[2]), .stall(after: 40, until: gates[3]),
            .stall(after: 50, until: gates[4]), .stall(after: 60, until: gates[5]),
            .stall(after: 70, until: gates[6]), .stall(after: 80, until: gates[7]),
            .stall(after: 90, until: gates[8]))
        let reader = Self.reader(origin, url, time)
        let reading = Task { try await reader.allBytes() }
        // 10 bytes arrive every 4 s. No pause lasts 15 s, but this still counts as a stall.
        for gate in gates.prefix(5) {
            await gate.waitForArrivals()
            await time.waitForSleepers()
            time.advance(by: .seconds(4))
            if origin.requests[0].progress != .running { break }
            gate.open()
            if gate === gates[3] { break }
        }
        await expectError(.timedOut) { try await reading.value }
    }

    @Test func permitsPausingReader() async throws {
        let time = ManualTime()
        let (origin, url) = try Self.origin(time: nil)
        let reader = Self.reader(origin, url, time)
        let first = try #require(try await reader.next())
        for _ in 0..<20 {
            await time.waitForSleepers()
            time.advance(by: .seconds(10))
        }
        var count = first.part.count
        while let piece = try await reader.next() { count += piece.part.count }
        #expect(count == 1_000_000)
        #expect(origin.requests.count == 1)
    }

    @Test(arguments: [0, 1, 65_536, 999_999])
    func resumesAtFirstMissingByteAfterReset(_ position: Int64) async throws {
        let time = ManualTime()
        let (origin, url) = try Self.origin(time: time)
        origin.next(url, .reset(after: position))
        origin.next(url, .unreachable)
        let reader = Self.reader(origin, url, time, RetryPolicy(budget: 2, initialDelay: .zero))
        #expect(try await reader.allBytes() == Self.body.bytes)
        #expect(origin.requests.map { $0.range?.knownStart } == [0, position, position])
        #expect(origin.bodyBytes == Self.body.length)
    }

    /// Responses that are reset after a few bytes count as consecutive failures.
    @Test func abandonsTricklingOrigin() async throws {
        let time = RecordingTime()
        let (origin, url) = try Self.origin(time: nil)
        for _ in 0..<20 { origin.next(url, .reset(after: 15)) }
        let reader = Self.reader(origin, url, time, RetryPolicy(budget: 4, initialDelay: .zero))
        await expectError(.unreachable) { try await reader.peek(1024) }
        #expect(origin.requests.count == 5)
    }

    @Test func abandonsSilentOrigin() async throws {
        let time = ManualTime()
        let (origin, url) = try Self.origin(time: time)
        origin.always(url, .holdHead(ScriptedGate()))
        let reader = Self.reader(origin, url, time, RetryPolicy(initialDelay: .zero))
        let opening = Task { try await reader.open() }
        let start = time.monotonic
        // Each request fails after 20 s. The second failure, after 40 s, exceeds the policy's patience of 30 s.
        for _ in 0..<2 {
            await time.waitForSleepers()
            time.advance(by: .seconds(20))
        }
        await expectError(.timedOut) { try await opening.value }
        #expect(time.monotonic - start == .seconds(40))
        #expect(origin.requests.count == 2)
    }

    @Test func countsConsecutiveFailuresWithoutProgress() async throws {
        let time = RecordingTime()
        let (origin, url) = try Self.origin(time: nil)
        for _ in 0..<8 { origin.next(url, .reset(after: 1024)) }
        let reader = Self.reader(origin, url, time, RetryPolicy(budget: 1))
        #expect(try await reader.allBytes() == Self.body.bytes)
        #expect(origin.requests.count == 9)
        #expect(time.noted.count == 8)
    }

    @Test(arguments: [0.0, 0.5, 0.999])
    func increasesDelaysExponentiallyUpToLimit(_ random: Double) async throws {
        let time = RecordingTime()
        let (origin, url) = try Self.origin(time: nil)
        origin.always(url, .unreachable)
        let policy = RetryPolicy(budget: 7)
        let reader = Self.reader(origin, url, time, policy, random: random)
        await expectError(.unreachable) { try await reader.open() }
        #expect(origin.requests.count == 8)
        let ceilings = [0.25, 0.5, 1, 2, 4, 8, 10]
        #expect(time.noted.count == ceilings.count)
        for (noted, ceiling) in zip(time.noted, ceilings) {
            #expect(abs(noted.seconds - ceiling * (0.5 + random / 2)) < 0.001)
            #expect(noted <= policy.maximumDelay)
        }
    }

    @Test func endsImmediatelyWhenCancelledBeforeRetry() async throws {
        let time = ManualTime()
        let (origin, url) = try Self.origin(time: nil)
        origin.always(url, .unreachable)
        let reader = Self.reader(origin, url, time, RetryPolicy())
        let opening = Task { try await reader.open() }
        await time.waitForSleepers()
        opening.cancel()
        await expectError(.cancelled) { try await opening.value }
        #expect(origin.requests.count == 1)
    }

    static func origin(time: (any TimeSource)?) throws -> (ScriptedOrigin, ResourceURL) {
        let origin = ScriptedOrigin(time: time)
        let url = try ResourceURL("http://origin.example/film.mp4")
        origin[url] = ScriptedResource(body)
        return (origin, url)
    }

    static func reader(
        _ origin: ScriptedOrigin, _ url: ResourceURL, _ time: any TimeSource,
        _ retries: RetryPolicy = RetryPolicy(budget: 0), random: Double = 0
    ) -> OriginReader {
        OriginReader(
            context: .test(origin, time: time, retries, random: random), locator: ResourceLocator(url: url),
            requested: .from(0, to: nil), known: nil)
    }
}

extension OriginReader {
    func allBytes() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await next() { piece.withUnsafeBytes { bytes += $0 } }
        return bytes
    }
}
