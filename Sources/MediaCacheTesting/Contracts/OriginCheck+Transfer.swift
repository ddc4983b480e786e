import HTTPTypes
import MediaCache

extension OriginCheck {
    func truncation(_ faults: ScriptedFault...) async throws {
        let body = ScriptedBody.random(seed: 5, length: 200_000)
        let url = try serve(ScriptedResource(body))
        if faults.count == 2 { script.next(url, faults[0], faults[1]) } else { script.next(url, faults[0]) }
        let response = try await send(url)
        try await expectPrefix(of: body, from: response, then: .badResponse, atMost: 199_000)
    }

    func reset() async throws {
        let body = ScriptedBody.random(seed: 6, length: 200_000)
        let url = try serve(ScriptedResource(body))
        script.next(url, .reset(after: 100_000))
        let response = try await send(url)
        try await expectPrefix(of: body, from: response, then: .unreachable, atMost: 100_000)
    }

    func missingResponse() async throws {
        let url = try serve(ScriptedResource(.text("x")))
        script.always(url, .unreachable)
        try await expectFailure(.unreachable) { _ = try await send(url) }
    }

    func firstByte() async throws {
        let url = try serve(ScriptedResource(.text("x")))
        script.always(url, .holdHead(ScriptedGate()))
        try await expectFailure(.timedOut) {
            _ = try await send(url, limits: TransferLimits(firstByte: contract.limit))
        }
        try await waitForCancellation()
    }

    func stall() async throws {
        try await runIntoStall()
        try await waitForCancellation()
    }

    func pause() async throws {
        let body = ScriptedBody.random(seed: 7, length: 400_000)
        let gate = ScriptedGate()
        let url = try serve(ScriptedResource(body))
        script.next(url, .stall(after: 100_000, until: gate))
        let response = try await send(url, limits: TransferLimits(stall: contract.limit))
        var bytes: [UInt8] = []
        while bytes.count < 100_000, let more = try await next(response.body) { bytes += more }
        // Wait for the limit to expire in another exchange.
        try await runIntoStall()
        gate.open()
        bytes += try await readAll(response.body)
        try expect(bytes.count == 400_000 && body.matches(bytes), "wrong bytes after the pause")
    }

    func backPressure() async throws {
        let body = ScriptedBody.random(seed: 8, length: 256 << 20)
        let url = try serve(ScriptedResource(body))
        let response = try await send(url)
        let first = try await next(response.body) ?? []
        try await runIntoStall()
        let ahead = (script.requests(for: url).first?.bodyBytes ?? 0) - Int64(first.count)
        try expect(ahead <= contract.maximumBuffered, "\(ahead) bytes were received before the reader requested them")
        let second = try await next(response.body) ?? []
        try expect(body.matches(first + second), "wrong bytes")
        response.body.cancel()
    }

    func cancelledBody() async throws {
        let response = try await stalledResponse()
        response.body.cancel()
        try await waitForCancellation()
        try await expectFailure(.cancelled) { while try await next(response.body) != nil {} }

        // A cancelled body isn't readable even if all bytes were received.
        let small = try await send(serve(ScriptedResource(.random(seed: 12, length: 1000)), at: "/small.mp4"))
        _ = try await readAll(send(contract.makeURL("/small.mp4")).body)
        small.body.cancel()
        try await expectFailure(.cancelled) { while try await next(small.body) != nil {} }
    }

    func releasedBody() async throws {
        var response: OriginResponse? = try await stalledResponse()
        try expect(response?.status == 200, "expected 200")
        response = nil
        try await waitForCancellation()
    }

    func cancelledSend() async throws {
        let gate = ScriptedGate()
        let url = try serve(ScriptedResource(.text("x")))
        script.always(url, .holdHead(gate))
        let task = Task { _ = try await send(url) }
        try await bounded("the request to arrive") { await gate.waitForArrivals() }
        task.cancel()
        try await expectFailure(.cancelled) { try await task.value }
        try await waitForCancellation()
    }

    func cancelledRead() async throws {
        let gate = ScriptedGate()
        let response = try await stalledResponse(gate)
        let task = Task { while try await next(response.body) != nil {} }
        try await bounded("the body to stall") { await gate.waitForArrivals() }
        task.cancel()
        try await expectFailure(.cancelled) { try await task.value }
        try await waitForCancellation()
    }

    func concurrency() async throws {
        let count = 32
        let body = ScriptedBody.random(seed: 9, length: 2 << 20)
        let gate = ScriptedGate()
        let url = try serve(ScriptedResource(body))
        script.always(url, .holdBody(at: 1 << 20, gate))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let bytes = try await readAll(send(url).body)
                    try expect(bytes.count == 2 << 20 && body.matches(bytes), "wrong bytes")
                }
            }
            try await bounded("\(count) exchanges at once") { await gate.waitForArrivals(count) }
            gate.open()
            try await group.waitForAll()
        }
    }

    /// Returns a response that stalls, after reading the bytes before the stall.
    private func stalledResponse(_ gate: ScriptedGate = ScriptedGate()) async throws -> OriginResponse {
        let url = try serve(ScriptedResource(.random(seed: 10, length: 1 << 20)))
        script.always(url, .stall(after: 1000, until: gate))
        let response = try await send(url)
        var count = 0
        while count < 1000, let more = try await next(response.body) { count += more.count }
        try expect(count == 1000, "expected the first 1000 bytes, got \(count)")
        return response
    }

    /// Waits for the stall limit to expire in another exchange.
    private func runIntoStall() async throws {
        let url = try serve(ScriptedResource(.random(seed: 11, length: 10_000)), at: "/stalls.mp4")
        script.always(url, .stall(after: 1000))
        let response = try await send(url, limits: TransferLimits(stall: contract.limit))
        try await expectFailure(.timedOut) { while try await next(response.body) != nil {} }
    }

    private func expectPrefix(
        of body: ScriptedBody, from response: OriginResponse, then code: CacheError.Code, atMost limit: Int
    ) async throws {
        var bytes: [UInt8] = []
        try await expectFailure(code) {
            while let more = try await next(response.body) { bytes += more }
        }
        try expect(bytes.count <= limit, "\(bytes.count) bytes were received, but at most \(limit) were sent")
        try expect(body.matches(bytes), "wrong bytes before the end")
    }
}
