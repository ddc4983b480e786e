// Other systems, and the stubs of `make check-apple`, provide Network.
#if os(Linux) && !canImport(Network)
    import Foundation
    import MediaLibrary
    import Synchronization
    import Testing

    /// Tests of whether the network is metered, according to a source, the kind of the interface, and a setting.
    final class MeteredNetworkTests {
        /// A source with a fixed answer, which counts requests.
        private final class FixedSource: MeteredNetworkSource {
            private let answer: Bool?
            private let requests = Mutex(0)

            init(_ answer: Bool?) { self.answer = answer }

            var count: Int { requests.withLock { $0 } }

            func isMetered() async -> Bool? {
                requests.withLock { $0 += 1 }
                return answer
            }
        }

        private let root = FileManager.default.temporaryDirectory.path + "/mediacache-\(UUID().uuidString)"

        deinit { try? FileManager.default.removeItem(atPath: root) }

        private func setLink(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: root + "/proc/net", withIntermediateDirectories: true)
            try Data("Iface\tDestination\tGateway\n\(name)\t00000000\t0102A8C0\n".utf8)
                .write(to: URL(fileURLWithPath: root + "/proc/net/route"))
        }

        /// Without an answer, the kind of the interface decides.
        @Test(arguments: [
            (true, "eth0", true), (false, "eth0", false), (nil, "eth0", false), (true, "wwan0", true),
            (false, "wwan0", false), (nil, "wwan0", true),
        ])
        func sourceDecides(answer: Bool?, link: String, isMetered: Bool) async throws {
            try setLink(link)
            let source = FixedSource(answer)
            let conditions = SystemConditions(source: source, root: root)
            // The source may take time, so the initializer doesn't ask it.
            #expect(source.count == 0 && conditions.current.network == (link == "wwan0" ? .metered : .unmetered))
            await conditions.refresh()
            #expect(conditions.current.network == (isMetered ? .metered : .unmetered))
        }

        @Test func settingTakesPrecedence() async throws {
            let source = FixedSource(false)
            let conditions = SystemConditions(isMetered: true, source: source, root: root)
            await conditions.refresh()
            #expect(conditions.current.network == .metered && source.count == 0)
        }

        /// The source is asked once for several readings, even if it has no answer, and again after the interface has
        /// changed.
        @Test(arguments: [true, nil])
        func asksAgainAfterChangeOfLink(answer: Bool?) async throws {
            try setLink("eth0")
            let source = FixedSource(answer)
            let conditions = SystemConditions(source: source, root: root)
            for _ in 0..<3 { await conditions.refresh() }
            #expect(source.count == 1)
            try setLink("wlan0")
            await conditions.refresh()
            #expect(source.count == 2 && conditions.current.networkName == "wlan0")
        }

        @Test func reportsAnswerAsChange() async throws {
            let conditions = SystemConditions(source: FixedSource(true), root: root)
            #expect(conditions.current.network == .unmetered)
            var changes = conditions.changes().makeAsyncIterator()
            #expect(await changes.next()?.network == .metered)
        }
    }
#endif
