import Testing

@testable import MediaCache

struct EventHubTests {
    @Test func sendsEveryEventToEachSubscriber() async {
        let hub = EventHub<CacheEvent> { .dropped(count: $0) }
        let streams = [hub.stream(), hub.stream()]
        for number in 0..<10 { hub.send(.hit(key: "\(number)")) }
        hub.finish()
        for stream in streams {
            var keys: [String] = []
            for await event in stream { if case .hit(let key) = event { keys.append(key) } }
            #expect(keys == (0..<10).map(String.init))
        }
    }

    @Test func sendsEventsToStreamsRequestedAfterFinish() async {
        let hub = EventHub<Int> { -$0 }
        hub.finish()
        let stream = hub.stream()
        hub.send(1)
        hub.finish()
        #expect(await stream.reduce(into: []) { $0.append($1) } == [1])
    }

    @Test func endsStreamsRequestedAfterClose() async {
        let hub = EventHub<CacheEvent> { .dropped(count: $0) }
        hub.close()
        for await _ in hub.stream() { Issue.record("an event was received after the end") }
    }

    @Test(arguments: [1, 3, 100, 400])
    func countsDroppedEventsOnce(_ consumed: Int) async {
        let hub = EventHub<CacheEvent> { .dropped(count: $0) }
        let stream = hub.stream()
        var iterator = stream.makeAsyncIterator()
        var (received, dropped) = (0, 0)
        func note(_ event: CacheEvent) {
            if case .dropped(let count) = event { dropped += count } else { received += 1 }
        }
        var sent = 0
        for _ in 0..<4 {
            for _ in 0..<700 { hub.send(.hit(key: "\(sent)")) }
            sent += 700
            for _ in 0..<consumed { if let event = await iterator.next() { note(event) } }
            for _ in 0..<3 { hub.send(.miss(key: "")) }
            sent += 3
        }
        // When the buffer has space again, the number of dropped events precedes the next event.
        for _ in 0..<100 { if let event = await iterator.next() { note(event) } }
        hub.send(.hit(key: "last"))
        hub.send(.hit(key: "very last"))
        sent += 2
        hub.finish()
        while let event = await iterator.next() { note(event) }
        #expect(received + dropped == sent)
        #expect(dropped > 0)
    }

    @Test func sendsMatchingEventsOnly() async {
        let hub = EventHub<Int> { -$0 }
        let even = hub.stream { $0.isMultiple(of: 2) }
        let all = hub.stream()
        // Events that the filter excludes don't count as dropped.
        for number in 1...1000 { hub.send(number) }
        hub.finish()
        #expect(await even.reduce(into: []) { $0.append($1) } == (1...500).map { $0 * 2 })
        #expect(await all.reduce(into: []) { $0.append($1) } == Array(1...512))
    }

    @Test func coalescesProgressAndSendsLastEvent() async {
        let hub = EventHub<CacheEvent> { .dropped(count: $0) }
        let stream = hub.stream()
        let progress = CacheEvent.Progress(key: "a", bytesCached: 1, length: 2, fromOrigin: 1, fromCache: 0, rate: 0)
        for step in 0..<100 {
            hub.sendProgress(key: "a", now: .milliseconds(step * 10), isFinal: step == 99) { .progress(progress) }
        }
        hub.finish()
        var count = 0
        for await _ in stream { count += 1 }
        #expect(count == 5)
    }

    /// A subscriber that is resumed and cancelled at the same time holds its own locks, so the hub must not wait for it
    /// while holding the hub's lock.
    @Test(.timeLimit(.minutes(30))) func permitsUnsubscribingDuringSend() async {
        let hub = EventHub<CacheEvent> { .dropped(count: $0) }
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<2 {
                group.addTask {
                    for number in 0..<1000 {
                        hub.send(.hit(key: "\(sender) \(number)"))
                        if number.isMultiple(of: 64) { await Task.yield() }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<80 {
                        let listening = Task {
                            for await _ in hub.stream() {}
                        }
                        await Task.yield()
                        listening.cancel()
                        await listening.value
                    }
                }
            }
        }
        hub.finish()
    }
}
