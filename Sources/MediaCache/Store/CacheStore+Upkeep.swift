import Logging
import Synchronization

extension CacheStore {
    private static let interval = Duration.seconds(2)
    /// The number of intervals after which limits are applied even if nothing was committed.
    private static let longInterval = 30
    private static let probeSize: Int64 = 256 << 10

    /// Starts the task that applies the limits, closes idle resources, and probes storage that has failed.
    ///
    /// - Parameter cleaning: Whether the task first cleans up after an earlier process.
    func startUpkeep(cleaning: Bool) {
        let task = Task { [weak self, time = engine.time] in
            if cleaning { await self?.cleanUpAfterEarlierOpening() }
            var committed: Int64 = 0
            var round = 0
            while !Task.isCancelled {
                guard (try? await time.sleep(for: Self.interval)) != nil, let self else { return }
                let now = self.statistics.bytesCommitted
                if now != committed || round % Self.longInterval == 0 { await self.enforceLimits() }
                committed = now
                round += 1
                self.table.closeIdle()
                await self.probeStorage()
            }
        }
        upkeep.withLock { $0 = task }
    }

    private func enforceLimits() async {
        do {
            try await prune()
        } catch {
            engine.logger.warning("limits not applied", metadata: ["error": "\(error)"])
        }
    }

    /// Tests whether bytes can be stored again after a failure.
    func probeStorage() async {
        guard engine.health.isFailing, engine.health.mayRecover else { return }
        guard (try? await engine.space.reserve(Self.probeSize, for: {})) != nil else { return }
        let probe: Void? = try? await engine.run { engine in
            let path = "\(engine.configuration.location.evictable)/blobs/probe\(BlobFolder.copySuffix)"
            defer { try? engine.files.remove(path) }
            let file = try engine.files.open(path, creating: true)
            let bytes = [UInt8](repeating: 0x55, count: Int(Self.probeSize))
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            try file.sync()
        }
        guard probe != nil else { return }
        engine.health.recovered()
        for representation in table.all.flatMap(\.representations) {
            representation.state.withLock { $0.storingFailure = nil }
        }
    }
}
