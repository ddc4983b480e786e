import HLS
import HTTPTypes
import MediaCache

/// Checks of a stream: its playlists, and whether its first segment and its key can be had.
struct PlaylistChecks: Sendable {
    /// Where its playlist is, redirects followed.
    var url: ResourceURL
    /// The way to its origin.
    var probe: OriginProbe
    /// Gets each finding as soon as it's there.
    var tell: @Sendable (Finding) async throws -> Void

    /// Does all of them.
    ///
    /// - Returns: the segment that was requested, and a probe with its scope; nil where there was none.
    func run() async throws -> (segment: ResourceURL, probe: OriginProbe)? {
        guard let first = try await read(url, "playlist") else { return nil }
        return try await PlaylistChecks(url: url, probe: probe.narrowed(to: first.references), tell: tell).look(
            into: first)
    }

    /// Checks what the stream's own playlist names.
    private func look(into first: Inspection) async throws -> (segment: ResourceURL, probe: OriginProbe)? {
        guard let multivariant = first.parsed.playlist.multivariant else { return try await media(first) }
        try await tell(PlaylistJudgement.variants(multivariant))
        // What plays where nobody chooses: the best.
        guard let best = multivariant.variants.max(by: { $0.bandwidth < $1.bandwidth }),
            let inspection = try await read(best.uri, "variant stream", variables: first.parsed.variables)
        else { return nil }
        return try await PlaylistChecks(url: url, probe: probe.narrowed(to: inspection.references), tell: tell)
            .media(inspection)
    }

    private func media(_ inspection: Inspection) async throws -> (segment: ResourceURL, probe: OriginProbe)? {
        guard let playlist = inspection.parsed.playlist.media else { return nil }
        try await tell(PlaylistJudgement.kind(playlist))
        // Of a live stream the last: the first may go at any moment.
        let there = playlist.resolvedSegments.filter { !$0.segment.isGap }
        guard let resolved = playlist.hasEndList ? there.first : there.last else {
            try await tell(
                .warning(
                    "segment", "there is none",
                    advice: "a stream that hasn't begun is waited for by `record`, not by `get`"))
            return nil
        }
        let segment = resolved.segment
        if let map = segment.map {
            try await part(map.uri, map.byteRange?.offset ?? 0, "initialization")
        }
        try await part(
            segment.uri, resolved.byteRange?.lowerBound ?? 0, "segment",
            isEncrypted: segment.keys.contains { $0.method != .none })
        for key in segment.keys where key.method != .none { try await self.key(key) }
        return (try? ResourceURL(segment.uri)).map { ($0, probe) }
    }

    private func read(
        _ text: String, _ check: String, variables: [String: String]
    ) async throws -> Inspection? {
        guard let url = try? ResourceURL(text) else {
            try await tell(
                .failure(check, "“\(text)” can't be asked for", advice: "the playlist's author has to mend it"))
            return nil
        }
        return try await read(url, check, variables: variables)
    }

    private func read(
        _ url: ResourceURL, _ check: String, variables: [String: String] = [:]
    ) async throws -> Inspection? {
        var settings = probe.settings
        settings.limits = OriginProbe.limits
        settings.retries = RetryPolicy(budget: 0)
        let fetch = PlaylistFetch(origin: probe.origin, settings: settings)
        do {
            let body = try await TimeLimit.run(.seconds(20)) { try await fetch.body(of: url) }
            guard let body else {
                try await tell(
                    .failure(check, "\(url) wasn't here within 20 s", advice: "try again; players would have given up"))
                return nil
            }
            let inspection = try Inspection(body, variables: variables)
            try await tell(PlaylistJudgement.diagnostics(inspection, check))
            return inspection
        } catch {
            try Task.checkCancellation()
            guard let failure = CommandFailure(error) else { throw error }
            try await tell(
                .failure(check, failure.message, advice: "nothing of it plays; `mediacache inspect` says more"))
            return nil
        }
    }

    private func part(_ text: String, _ offset: Int, _ check: String, isEncrypted: Bool = false) async throws {
        guard let url = try? ResourceURL(text) else {
            return try await tell(
                .failure(check, "“\(text)” can't be asked for", advice: "the playlist's author has to mend it"))
        }
        do {
            let answer = try await answer(url, range: "bytes=\(offset)-\(offset + 1023)")
            try await tell(PlaylistJudgement.part(answer, check, isEncrypted: isEncrypted))
        } catch let error as CacheError where error.code != .cancelled {
            try await tell(
                .failure(check, error.description, advice: "players stop there; `get` and `record` note a gap"))
        }
    }

    private func key(_ key: EncryptionKey) async throws {
        let name = "\(key.method) (\(key.keyFormat))"
        guard key.method == .aes128 || key.method == .sampleAES, key.keyFormat == "identity" else {
            return try await tell(
                .warning(
                    "key", "\(name): protected by a system of its own",
                    advice: "it's passed on as it is; only that system's players can play it"))
        }
        guard let url = key.uri.flatMap({ try? ResourceURL($0) }) else {
            return try await tell(
                .failure("key", "\(name) has no URL that can be asked", advice: "the playlist's author has to mend it"))
        }
        do {
            try await tell(PlaylistJudgement.key(try await answer(url, range: nil), name))
        } catch let error as CacheError where error.code != .cancelled {
            try await tell(
                .failure("key", error.description, advice: "without it nothing plays; it may want a header or a cookie")
            )
        }
    }

    /// An answer, redirects followed.
    private func answer(_ url: ResourceURL, range: String?) async throws -> OriginProbe.Answer {
        var (url, probe) = (url, probe)
        for _ in 0..<10 {
            let answer = try await probe.ask(url, range: range)
            guard let location = answer.location else { return answer }
            url = try url.resolve(location)
            probe = probe.narrowed(to: answer.references)
        }
        throw CacheError(.badResponse, "\(url) redirects too often")
    }
}
