internal import Foundation
internal import HTTPTypes
public import MediaCache

/// A diagnosis of a URL. It checks whether the origin responds, the type of the resource, and whether it can be played
/// and cached.
///
/// A diagnosis sends a few small requests to the origin, and reads at most 4 MiB to measure the transfer rate.
///
/// ```swift
/// try await OriginDiagnosis(of: url, origin: origin, settings: TransferSettings()).run { finding in
///     print(finding.check, finding.found)
/// }
/// ```
public struct OriginDiagnosis: Sendable {
    /// A function that receives each finding.
    public typealias Report = @Sendable (DiagnosisFinding) async throws -> Void

    private let url: ResourceURL
    private let probe: OriginProbe

    private static let redirectLimit = 10

    /// Creates a diagnosis of a file or a playlist.
    ///
    /// - Parameter settings: The header profiles and cookies of requests.
    public init(of url: ResourceURL, origin: any Origin, settings: TransferSettings) {
        self.url = url
        probe = OriginProbe(origin: origin, settings: settings)
    }

    /// Runs the checks in order. Some failures end the diagnosis early.
    ///
    /// - Parameter report: A function that receives each finding as soon as its check is complete.
    /// - Throws: `CacheError` with `cancelled`; `CancellationError`; errors of `report`.
    public func run(_ report: @escaping Report) async throws {
        guard try await lookUp(url.host, report) else { return }
        guard let (response, probe) = try await follow(report) else { return }
        try await diagnose(response, probe, report)
    }

    private func diagnose(
        _ response: OriginProbe.Response, _ probe: OriginProbe, _ report: @escaping Report
    ) async throws {
        try await report(OriginFindings.clock(response.fields[.date], now: Date()))
        guard (200..<300).contains(response.status) else { return try await report(OriginFindings.refusal(response)) }
        let facts = try await facts(response, probe)
        for finding in OriginFindings.all(facts) { try await report(finding) }
        if MediaType.isPlaylist(facts.type) {
            // A playlist is too short to measure the rate.
            let stream = StreamDiagnosis(probe: probe, report: report)
            guard let (segment, probe) = try await stream.run(response.url) else { return }
            return try await measureRate(segment, probe, report)
        }
        if facts.type.hasSuffix("/mp4") {
            try await report(try await IndexDiagnosis(url: response.url, probe: probe, facts: facts).finding())
        }
        try await measureRate(response.url, probe, report)
    }

    /// Resolves the host's name, and returns whether it has an address.
    private func lookUp(_ host: String, _ report: Report) async throws -> Bool {
        if IPAddress(host: host) != nil { return true }
        let begin = ContinuousClock.now
        let found = try await TimeLimit.run(.seconds(8)) {
            try await BlockingOperation.run { HostLookup.addresses(of: host) }
        }
        let duration = (ContinuousClock.now - begin).inMilliseconds
        guard let found else {
            try await report(
                .failure(
                    "name", "\(host) wasn't resolved within 8 s",
                    advice: "check /etc/resolv.conf and the network connection"))
            return false
        }
        switch found {
        case .success(let all):
            let addresses = all.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            let shown = addresses.prefix(4).joined(separator: ", ")
            let more = addresses.count > 4 ? " and \(addresses.count - 4) more" : ""
            try await report(.ok("name", "\(host) resolves to \(shown)\(more) (\(duration))"))
            return true
        case .failure(let reason):
            try await report(
                .failure(
                    "name", "\(host) can't be resolved: \(reason.description)",
                    advice: "check the spelling and the network connection"))
            return false
        }
    }

    /// Requests the first bytes, and follows redirects. Returns the last response and a probe with the scope of its
    /// URL; nil after a failure.
    private func follow(_ report: Report) async throws -> (OriginProbe.Response, OriginProbe)? {
        var (url, probe) = (url, probe)
        var visited: Set<ResourceURL> = []
        while true {
            let response: OriginProbe.Response
            do {
                response = try await probe.request(url, range: "bytes=0-1023")
            } catch let error as CacheError where error.code != .cancelled {
                try await report(OriginFindings.unreachable(error, url))
                return nil
            }
            let latency = response.latency.inMilliseconds
            guard let location = response.location else {
                let certificate = url.scheme == "https" ? ", with a valid certificate" : ""
                try await report(
                    .ok(
                        "connection",
                        "\(url.authority) responded with \(response.status) after \(latency)\(certificate)"))
                return (response, probe)
            }
            guard visited.insert(url).inserted, visited.count <= Self.redirectLimit,
                let next = try? url.resolve(location)
            else {
                try await report(
                    .failure(
                        "redirect", "\(response.status) to “\(location)”, which can't be followed",
                        advice:
                            "there are too many redirects, a loop, or a redirect to a URL that isn't HTTP; check the URL"
                    ))
                return nil
            }
            let losesTLS = url.scheme == "https" && next.scheme == "http"
            try await report(
                losesTLS
                    ? .warning(
                        "redirect", "\(response.status) to \(next.withoutUserInfo), without TLS (\(latency))",
                        advice: "the media can be read and modified in transit; use an https URL")
                    : .ok("redirect", "\(response.status) to \(next.withoutUserInfo) (\(latency))"))
            url = next
            probe = probe.narrowed(to: response.references)
        }
    }

    private func facts(_ first: OriginProbe.Response, _ probe: OriginProbe) async throws -> OriginFacts {
        var facts = OriginFacts(first)
        facts.suffix = try? await probe.request(first.url, range: "bytes=-64", byteLimit: 64)
        try Task.checkCancellation()
        facts.second = try? await probe.request(first.url, range: "bytes=0-1023")
        try Task.checkCancellation()
        return facts
    }

    private func measureRate(_ url: ResourceURL, _ probe: OriginProbe, _ report: Report) async throws {
        let (limit, time) = (4 << 20, Duration.seconds(3))
        // The URL of a segment may be redirected.
        let response = try? await probe.follow(url, range: "bytes=0-\(limit - 1)", byteLimit: limit, for: time)
        guard let response else {
            try Task.checkCancellation()
            return try await report(
                .warning(
                    "rate", "the rate can't be measured, because the request for the first 4 MiB failed",
                    advice: "try again; interrupted transfers resume at the same byte"))
        }
        try await report(OriginFindings.rate(response, timeLimit: time))
    }
}

extension Duration {
    /// The duration in whole milliseconds: `12 ms`.
    var inMilliseconds: String { "\(Int((self / .milliseconds(1)).rounded())) ms" }
}
