internal import HLS
internal import HTTPTypes
internal import MediaCache

/// A diagnosis of an HLS stream: its playlists, a segment, and its keys.
struct StreamDiagnosis: Sendable {
    var probe: OriginProbe
    var report: OriginDiagnosis.Report

    /// Runs the checks. Of a multivariant playlist, only the variant stream with the highest bandwidth is checked. A
    /// playlist that can't be read ends the diagnosis. Returns the requested segment, and a probe with its address
    /// scope; nil if there is no segment.
    func run(_ url: ResourceURL) async throws -> (segment: ResourceURL, probe: OriginProbe)? {
        guard let first = try await read(url, "playlist") else { return nil }
        return try await narrowed(to: first.references).diagnose(first)
    }

    private func narrowed(to scope: AddressScope) -> StreamDiagnosis {
        StreamDiagnosis(probe: probe.narrowed(to: scope), report: report)
    }

    private func diagnose(_ first: PlaylistInspection) async throws -> (segment: ResourceURL, probe: OriginProbe)? {
        guard let multivariant = first.parsed.playlist.multivariant else { return try await diagnoseMedia(first) }
        try await report(StreamFindings.variants(multivariant))
        guard let best = multivariant.variants.max(by: { $0.bandwidth < $1.bandwidth }),
            let variant = try await read(best.uri, "variant stream", variables: first.variables)
        else { return nil }
        return try await narrowed(to: variant.references).diagnoseMedia(variant)
    }

    private func diagnoseMedia(
        _ inspection: PlaylistInspection
    ) async throws -> (segment: ResourceURL, probe: OriginProbe)? {
        guard let playlist = inspection.parsed.playlist.media else { return nil }
        try await report(StreamFindings.kind(playlist))
        // The first segment of a live stream may be removed at any time, so the last one is requested.
        let available = playlist.resolvedSegments.filter { !$0.segment.isGap }
        guard let resolved = playlist.hasEndList ? available.first : available.last else {
            try await report(
                .warning(
                    "segment", "the playlist has no segments",
                    advice: "if the stream hasn't started yet, use `record`, which waits for it"))
            return nil
        }
        let segment = resolved.segment
        if let map = segment.map { try await checkPart(map.uri, map.byteRange?.offset ?? 0, "initialization") }
        try await checkPart(
            segment.uri, resolved.byteRange?.lowerBound ?? 0, "segment",
            isEncrypted: segment.keys.contains { $0.method != .none })
        for key in segment.keys where key.method != .none { try await checkKey(key) }
        return (try? ResourceURL(segment.uri)).map { ($0, probe) }
    }

    private func read(
        _ text: String, _ check: String, variables: [String: String]
    ) async throws -> PlaylistInspection? {
        guard let url = try await url(text, check) else { return nil }
        return try await read(url, check, variables: variables)
    }

    private func read(
        _ url: ResourceURL, _ check: String, variables: [String: String] = [:]
    ) async throws -> PlaylistInspection? {
        var settings = probe.settings
        settings.limits = OriginProbe.limits
        settings.retries = RetryPolicy(budget: 0)
        let fetch = PlaylistFetch(origin: probe.origin, settings: settings)
        let failure: String
        do {
            let body = try await TimeLimit.run(.seconds(20)) { try await fetch.body(of: url) }
            guard let body else {
                try await report(
                    .failure(
                        check, "\(url) wasn't received within 20 s",
                        advice: "try again later; most players give up sooner"))
                return nil
            }
            let inspection = try PlaylistInspection(body, variables: variables)
            try await report(StreamFindings.diagnostics(inspection, check))
            return inspection
        } catch let error as CacheError where error.code != .cancelled {
            failure = error.description
        } catch let error as MediaJobError {
            failure = error.message
        }
        try Task.checkCancellation()
        try await report(
            .failure(check, failure, advice: "the stream can't be played; `mediacache inspect` shows details"))
        return nil
    }

    /// Parses a URL. If the text is invalid, reports a failure and returns nil.
    private func url(_ text: String, _ check: String) async throws -> ResourceURL? {
        if let url = try? ResourceURL(text) { return url }
        try await report(
            .failure(check, "“\(text)” isn't a URL that can be requested", advice: "the playlist must be fixed"))
        return nil
    }

    private func checkPart(_ text: String, _ offset: Int, _ check: String, isEncrypted: Bool = false) async throws {
        guard let url = try await url(text, check) else { return }
        do {
            // Playlists may contain any offset.
            let last = Int64(offset).clampedSum(1023)
            let response = try await probe.follow(url, range: "bytes=\(offset)-\(last)")
            try await report(StreamFindings.part(response, check, isEncrypted: isEncrypted))
        } catch let error as CacheError where error.code != .cancelled {
            try await report(
                .failure(check, error.description, advice: "players stop there; `get` and `record` leave a gap"))
        }
    }

    private func checkKey(_ key: EncryptionKey) async throws {
        let name = "\(key.method) (\(key.keyFormat))"
        let cipher = SegmentCipher(key.method)
        if cipher == nil, !key.method.isDefined, key.keyFormat == "identity" {
            return try await report(
                .warning(
                    "key", "\(name): unknown encryption method",
                    advice: "the stream is passed on unchanged; only players that support the method can play it"))
        }
        guard cipher != nil || key.method == .sampleAES, key.keyFormat == "identity" else {
            return try await report(
                .warning(
                    "key", "\(name): protected by a DRM system",
                    advice: "the stream is passed on unchanged; only players with that system can play it"))
        }
        // The length of a key file (RFC 8216bis §5.1).
        let length = cipher?.keyLength ?? 16
        if let bytes = key.uri.flatMap(DataURL.bytes) {
            return try await report(StreamFindings.key(embedded: bytes, name, length: length))
        }
        guard let url = key.uri.flatMap({ try? ResourceURL($0) }) else {
            return try await report(
                .failure("key", "\(name) has no URL that can be requested", advice: "the playlist must be fixed"))
        }
        do {
            try await report(StreamFindings.key(try await probe.follow(url), name, length: length))
        } catch let error as CacheError where error.code != .cancelled {
            try await report(
                .failure(
                    "key", error.description,
                    advice: "the stream can't be played without it; the request may need a header or a cookie"))
        }
    }
}
