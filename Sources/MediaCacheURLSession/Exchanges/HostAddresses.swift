import MediaCache
import Synchronization

/// Where hosts are, as far as their names tell. What was found is remembered for a minute.
final class HostAddresses: Sendable {
    /// What a host's addresses mean.
    struct Meaning: Sendable {
        /// What kind they are of; unknown where some are local and some aren't, or none was found.
        var kind: AddressKind
        /// Whether one of them is local, and not among those that are allowed all the same.
        var isForbidden: Bool

        /// - Throws: `CacheError` with `forbiddenAddress`.
        func requirePublic(_ url: ResourceURL) throws {
            guard isForbidden else { return }
            throw CacheError(
                .forbiddenAddress, "\(url.authority) isn't at a public address; allow its network if it's meant")
        }
    }

    private static let lifetime = Duration.seconds(60)
    private static let pool = BlockingPool(label: "MediaCacheURLSession.names")

    private let time: any TimeSource
    private let known = Mutex<[String: (addresses: [IPAddress], since: Duration)]>([:])

    init(time: any TimeSource) {
        self.time = time
    }

    /// What a URL's host means.
    ///
    /// - Parameter exceptions: local networks that are allowed.
    /// - Throws: `CacheError` with `cancelled`.
    func kind(of host: String, exceptions: [AddressRange]) async throws -> Meaning {
        let addresses = try await addresses(of: host)
        let rule = AccessRule(grants: exceptions)
        let isForbidden =
            addresses.isEmpty
            || addresses.contains { address in
                do throws(AccessRule.Refusal) { try rule.check(connected: address, scope: .publicOnly) } catch {
                    return true
                }
                return false
            }
        let local = addresses.filter { $0.kind == .local }
        let kind: AddressKind =
            addresses.isEmpty ? .unknown : local.isEmpty ? .global : local.count == addresses.count ? .local : .unknown
        return Meaning(kind: kind, isForbidden: isForbidden)
    }

    private func addresses(of host: String) async throws -> [IPAddress] {
        if let literal = IPAddress(host: host) { return [literal] }
        let now = time.monotonic
        let remembered = known.withLock { known in
            known[host].flatMap { now - $0.since < Self.lifetime ? $0.addresses : nil }
        }
        if let remembered { return remembered }
        let found = try await Self.resolve(host)
        known.withLock { known in
            known = known.filter { now - $0.value.since < Self.lifetime }
            if !found.isEmpty { known[host] = (found, now) }
        }
        return found
    }

    /// Asks the system, which takes its time. Who is cancelled doesn't wait for it.
    private static func resolve(_ host: String) async throws -> [IPAddress] {
        let waiter = Waiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiter.wait(continuation)
                pool.start { waiter.resume(.success(lookUp(host))) }
            }
        } onCancel: {
            waiter.resume(.failure(CacheError(.cancelled, "the request to \(host) was cancelled")))
        }
    }

    private static func lookUp(_ host: String) -> [IPAddress] {
        ((try? HostLookup.addresses(of: host).get()) ?? []).compactMap { IPAddress(host: $0) }
    }

    /// Resumes once, by whichever comes first.
    private final class Waiter: Sendable {
        typealias Continuation = CheckedContinuation<[IPAddress], any Error>

        private enum State {
            case idle
            case waiting(Continuation)
            case over(Result<[IPAddress], any Error>)
        }

        private let state = Mutex(State.idle)

        func wait(_ continuation: Continuation) {
            let result = state.withLock { state -> Result<[IPAddress], any Error>? in
                if case .over(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }

        func resume(_ result: Result<[IPAddress], any Error>) {
            let continuation = state.withLock { state -> Continuation? in
                defer { if case .over = state {} else { state = .over(result) } }
                if case .waiting(let continuation) = state { return continuation }
                return nil
            }
            continuation?.resume(with: result)
        }
    }
}
