import Foundation
import HTTPTypes
import MediaCache
import MediaLibrary

/// Checks of a URL: who answers, what it is, and how well it can be played and kept. Of a film no more is read than its
/// ends and a few MiB.
struct URLChecks: Sendable {
    /// The URL.
    var url: ResourceURL
    /// The way to its origin.
    var probe: OriginProbe
    /// Gets each finding as soon as it's there.
    var tell: @Sendable (Finding) async throws -> Void

    private static let mostRedirects = 10

    /// Does all of them; ends early where there is nothing more to look at.
    func run() async throws {
        guard try await look(up: url.host) else { return }
        guard let (answer, probe) = try await follow() else { return }
        try await URLChecks(url: url, probe: probe, tell: tell).look(at: answer)
    }

    /// Checks what lies behind the redirects.
    private func look(at answer: OriginProbe.Answer) async throws {
        try await tell(OriginJudgement.clock(answer.fields[.date], now: Date()))
        guard (200..<300).contains(answer.status) else {
            return try await tell(OriginJudgement.refusal(answer))
        }
        let facts = try await facts(answer)
        for finding in OriginJudgement.findings(facts) { try await tell(finding) }
        if MediaType.isPlaylist(facts.type) {
            // A playlist is too short to tell how fast anything comes.
            guard let found = try await PlaylistChecks(url: answer.url, probe: probe, tell: tell).run() else { return }
            return try await URLChecks(url: url, probe: found.probe, tell: tell).rate(found.segment)
        }
        if facts.type.hasSuffix("/mp4") {
            try await tell(try await MovieCheck(url: answer.url, probe: probe, facts: facts).run())
        }
        try await rate(answer.url)
    }

    /// Whether the host's name leads somewhere.
    private func look(up host: String) async throws -> Bool {
        if IPAddress(host: host) != nil { return true }
        let begin = ContinuousClock.now
        let found = try await TimeLimit.run(.seconds(8)) {
            try await BlockingWork.run { HostLookup.addresses(of: host) }
        }
        let took = Self.milliseconds(ContinuousClock.now - begin)
        guard let found else {
            try await tell(
                .failure(
                    "name", "\(host) wasn't found within 8 s",
                    advice: "see /etc/resolv.conf, and whether the network is up"))
            return false
        }
        switch found {
        case .success(let all):
            let addresses = all.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            let shown = addresses.prefix(4).joined(separator: ", ")
            let more = addresses.count > 4 ? " and \(addresses.count - 4) more" : ""
            try await tell(.ok("name", "\(host) is \(shown)\(more) (\(took))"))
            return true
        case .failure(let reason):
            try await tell(
                .failure(
                    "name", "\(host) isn't found: \(reason.description)",
                    advice: "see whether it's written right, and the network is up"))
            return false
        }
    }

    /// Asks for the first bytes, and follows redirects, each a finding.
    ///
    /// - Returns: the last answer, and a probe with the scope of what named its URL; nil where there is none.
    private func follow() async throws -> (OriginProbe.Answer, OriginProbe)? {
        var (url, probe) = (url, probe)
        var visited: Set<ResourceURL> = []
        while true {
            let answer: OriginProbe.Answer
            do {
                answer = try await probe.ask(url, range: "bytes=0-1023")
            } catch let error as CacheError where error.code != .cancelled {
                try await tell(OriginJudgement.unreachable(error, url))
                return nil
            }
            let took = Self.milliseconds(answer.latency)
            guard let location = answer.location else {
                let secured = url.scheme == "https" ? ", its certificate is right" : ""
                try await tell(.ok("connection", "\(url.authority) answers \(answer.status) after \(took)\(secured)"))
                return (answer, probe)
            }
            guard visited.insert(url).inserted, visited.count <= Self.mostRedirects,
                let next = try? url.resolve(location)
            else {
                try await tell(
                    .failure(
                        "redirect", "\(answer.status) to “\(location)”, which can't be followed",
                        advice: "it leads in a circle, too far, or to no http URL; ask for where it should lead"))
                return nil
            }
            let isLess = url.scheme == "https" && next.scheme == "http"
            try await tell(
                isLess
                    ? .warning(
                        "redirect", "\(answer.status) to \(next.withoutUserInfo), without TLS (\(took))",
                        advice: "everybody on the way can read and change what comes; ask for the https URL")
                    : .ok("redirect", "\(answer.status) to \(next.withoutUserInfo) (\(took))"))
            url = next
            probe = probe.narrowed(to: answer.references)
        }
    }

    /// Asks for other ranges of it, and puts together what is known.
    private func facts(_ first: OriginProbe.Answer) async throws -> OriginFacts {
        var facts = OriginFacts(first)
        facts.suffix = try? await probe.ask(first.url, range: "bytes=-64", most: 64)
        try Task.checkCancellation()
        facts.second = try? await probe.ask(first.url, range: "bytes=0-1023")
        try Task.checkCancellation()
        return facts
    }

    /// How fast it comes.
    private func rate(_ url: ResourceURL) async throws {
        let most = 4 << 20
        guard let answer = try? await probe.ask(url, range: "bytes=0-\(most - 1)", most: most, for: .seconds(3)) else {
            try Task.checkCancellation()
            return try await tell(
                .warning("rate", "a longer read broke off", advice: "try again; the engine goes on where it was"))
        }
        let seconds = answer.reading / .seconds(1)
        let latency = Self.milliseconds(answer.latency)
        // What comes at once came out of buffers, and says nothing of the way.
        guard answer.bytes.count >= 256 << 10, seconds > 0.001 else {
            return try await tell(
                .ok("rate", "too short to tell (\(ByteCount(Int64(answer.bytes.count)))); answers after \(latency)"))
        }
        let rate = ByteCount(Int64(Double(answer.bytes.count) / seconds))
        try await tell(
            .ok("rate", "\(rate)/s over \(ByteCount(Int64(answer.bytes.count))); answers after \(latency)"))
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\(Int((duration / .milliseconds(1)).rounded())) ms"
    }
}
