import Foundation
import HTTPTypes
import MediaCache

/// Small requests to an origin, past every cache, each within its time.
struct OriginProbe: Sendable {
    /// An answer: its head, and as much of its body as was wanted.
    struct Answer: Sendable {
        /// Where it came from.
        var url: ResourceURL
        /// The status code.
        var status: Int
        /// The header fields.
        var fields: HTTPFields
        /// The scope of everything that the answer names.
        var references = AddressScope.publicOnly
        /// The first bytes of the body.
        var bytes: [UInt8]
        /// Whether that is all of it.
        var isWhole: Bool
        /// How long the head took.
        var latency: Duration
        /// How long the bytes took after it.
        var reading: Duration

        /// Where it redirects to, if it does.
        var location: String? {
            [301, 302, 303, 307, 308].contains(status) ? fields[.location] : nil
        }
    }

    /// Who is asked.
    var origin: any Origin
    /// With which header fields, cookies and limits.
    var settings: TransferSettings

    /// Returns a probe of what was named with `scope`.
    func narrowed(to scope: AddressScope) -> OriginProbe {
        OriginProbe(origin: origin, settings: settings.narrowed(to: scope))
    }

    /// What an origin is given to answer: less than a player waits, more than a healthy one needs.
    static let limits = TransferLimits(connect: .seconds(6), firstByte: .seconds(8), stall: .seconds(5))
    private static let whole = Duration.seconds(20)

    /// Asks once, following no redirect.
    ///
    /// - Parameters:
    ///   - range: the value of `Range`; nil for none.
    ///   - most: how many bytes of the body are read; the connection is closed then.
    ///   - time: how long to read at most.
    /// - Throws: `CacheError`.
    func ask(
        _ url: ResourceURL, range: String? = nil, most: Int = 1024, for time: Duration = .seconds(4)
    ) async throws -> Answer {
        let answer = try await TimeLimit.run(Self.whole) {
            var conditions = HTTPFields()
            conditions[.range] = range
            let request = OriginRequest(
                url: url.withoutUserInfo, headerFields: settings.headerFields(for: url, conditions, now: Date()),
                limits: Self.limits, scope: settings.scope)
            let begin = ContinuousClock.now
            let response = try await origin.send(request)
            let latency = ContinuousClock.now - begin
            var answer = Answer(
                url: url, status: response.status, fields: response.headerFields,
                references: AddressScope(ofReferencesAt: url, from: response.peer, requestedWith: settings.scope),
                bytes: [], isWhole: false, latency: latency, reading: .zero)
            let reading = ContinuousClock.now
            while answer.bytes.count < most, ContinuousClock.now - reading < time {
                guard let piece = try await response.body.next() else {
                    answer.isWhole = true
                    break
                }
                piece.withUnsafeBytes { answer.bytes.append(contentsOf: $0) }
            }
            answer.reading = ContinuousClock.now - reading
            response.body.cancel()
            return answer
        }
        guard let answer else {
            throw CacheError(.timedOut, "\(url) sent no answer within \(Self.whole / .seconds(1)) s")
        }
        return answer
    }
}
