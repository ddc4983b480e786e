import Logging

extension CacheStore {
    /// Reads all cached content and verifies its checksums.
    ///
    /// Damaged bytes become holes, and are never served. They are reported until they have been fetched again, even if
    /// a reader found the damage earlier. With `repair`, those of current versions are fetched immediately. Results of
    /// whole-body transforms and versions that the origin has replaced can't be repaired.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/closed``, ``CacheError/Code/storage``,
    ///   ``CacheError/Code/damaged`` or ``CacheError/Code/cancelled``. A failed repair isn't an error.
    public func verify(repair: Bool = false) async throws -> VerifyReport {
        try await verify(repair: repair) { _, _ in nil }
    }

    /// Verifies as ``verify(repair:)`` does.
    ///
    /// - Parameter settings: Returns the settings of repairs at a URL with an identity; nil for the store's, with the
    ///   identity in the cache key.
    package func verify(
        repair: Bool, settings: @Sendable (ResourceURL, ProfileIdentity?) -> TransferSettings?
    ) async throws -> VerifyReport {
        try checkOpen()
        await engine.committer.commit()
        return try await CacheError.wrapping("the cached content can't be verified") {
            var report = VerifyReport(resources: 0, bytes: 0, findings: [])
            for (stored, _) in try await engine.catalog.resources() {
                try Task.checkCancellation()
                guard let resource = try await opened(stored) else { continue }
                report.resources += 1
                for representation in resource.representations {
                    let own = settings(resource.locator.url, CacheKey(resource.key).identity)
                    try await verify(representation, of: resource, repair: repair, own, into: &report)
                }
                table.closeIdle()
            }
            await engine.committer.commit()
            return report
        }
    }

    private func verify(
        _ representation: Representation, of resource: Resource, repair: Bool, _ settings: TransferSettings?,
        into report: inout VerifyReport
    ) async throws {
        let bytes = representation.spans.byteCount
        let damaged = await engine.pool.perform { representation.compareAll() }
        report.bytes += bytes
        let (lost, lostAtOpening) = representation.withState { ($0.lost, $0.lostAtOpening) }
        var rest = lost
        var findings: [(range: Range<Int64>, problem: String)] = []
        func note(_ spans: [Range<Int64>], _ problem: String) {
            for span in spans {
                findings += rest.spans(in: span).map { ($0, problem) }
                rest.remove(span)
            }
        }
        note(damaged, "the checksum doesn't match")
        note(Array(lostAtOpening.spans), "the blob is missing or too short")
        note(Array(rest.spans), "lost earlier, and not yet fetched again")
        findings.sort { $0.range.lowerBound < $1.range.lowerBound }
        for (range, problem) in findings {
            var isRepaired = false
            if repair, representation === resource.current, await refetch(range, of: representation, settings) {
                isRepaired = representation.spans.contains(range)
            }
            report.findings.append(
                .init(
                    key: CacheKey(resource.key).name, start: range.lowerBound, end: range.upperBound, problem: problem,
                    isRepaired: isRepaired))
        }
    }

    private func refetch(
        _ range: Range<Int64>, of representation: Representation, _ settings: TransferSettings?
    ) async -> Bool {
        let resource = representation.resource
        // A repair needs a kind that selects the same transform. A whole-body transform can't process parts.
        guard let kind = engine.kind(of: representation), representation.content.transform?.isWhole != true else {
            return false
        }
        do {
            let url = resource.locator.url
            // The document that referred to the URL is unknown. Content received from a public address must still be at
            // a public one.
            let transfers = settings ?? resource.ownSettings ?? engine.transfers
            let scope = AddressScope(
                ofReferencesAt: url, from: representation.head.peer, requestedWith: transfers.scope)
            let request = ReadRequest(
                url: url, range: .closed(range.lowerBound, through: range.upperBound - 1),
                transferClass: .download, settings: transfers.narrowed(to: scope), kind: kind)
            let session = try await read(request)
            defer { session.cancel() }
            for try await _ in session.buffers {}
            return true
        } catch {
            engine.logger.warning(
                "damage not repaired", metadata: ["url": "\(resource.locator.url)", "error": "\(error)"])
            return false
        }
    }
}
