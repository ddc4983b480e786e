import Foundation
import Synchronization

/// A cache of host addresses from the system's resolver. Entries expire after a minute.
package final class HostAddresses: Sendable {
    /// The properties of a host's addresses.
    package struct Resolution: Sendable {
        /// The common kind of all addresses; unknown if the kinds differ, or if there are no addresses.
        package var kind: AddressKind
        /// Whether the host has an address.
        package var isResolved: Bool
        /// Whether the host has no address, or a local one outside the allowed networks.
        package var isForbidden: Bool

        /// Throws `CacheError` with `unreachable` if the host has no address, or `forbiddenAddress` if it's forbidden.
        package func requirePublic(_ url: ResourceURL) throws {
            guard isResolved else {
                throw CacheError(
                    .unreachable, "the name \(url.authority) can't be resolved; check the URL and the network")
            }
            guard isForbidden else { return }
            throw CacheError(
                .forbiddenAddress,
                "\(url.authority) has an address that isn't public; allow its network if access is intended")
        }
    }

    private static let lifetime = Duration.seconds(60)
    private static let pool = BlockingPool(label: "MediaCache.names")

    private let time: any TimeSource
    private let fixed: [String: String]
    private let known = Mutex<[String: (addresses: [IPAddress], since: Duration)]>([:])

    /// - Parameter fixed: Addresses by host name, which take precedence over the system's resolver.
    package init(time: any TimeSource, fixed: [String: String] = [:]) {
        self.time = time
        self.fixed = fixed
    }

    /// Resolves a host without a time limit, and applies the access rule for scope `publicOnly` to its addresses.
    /// Throws an error only if the task is cancelled.
    ///
    /// - Parameter grants: Local networks that may be contacted.
    package func resolve(_ host: String, allowing grants: [AddressRange]) async throws -> Resolution {
        let addresses = try await addresses(of: host)
        let rule = AccessRule(grants: grants)
        let isForbidden =
            addresses.isEmpty || !addresses.allSatisfy { rule.permits(connected: $0, scope: .publicOnly) }
        let local = addresses.filter { $0.kind == .local }
        let kind: AddressKind =
            addresses.isEmpty ? .unknown : local.isEmpty ? .global : local.count == addresses.count ? .local : .unknown
        return Resolution(kind: kind, isResolved: !addresses.isEmpty, isForbidden: isForbidden)
    }

    /// Returns the addresses of a host in the resolver's order; nil if the resolver takes longer than `limit`. An empty
    /// array means that the host has no address or can't be resolved. Throws an error only if the task is cancelled.
    package func addresses(of host: String, within limit: Duration) async throws -> [IPAddress]? {
        if let known = knownAddresses(of: host) { return known }
        return try await withThrowingTaskGroup(of: [IPAddress]?.self) { group in
            group.addTask { try await self.addresses(of: host) }
            group.addTask { [time] in
                try await time.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func knownAddresses(of host: String) -> [IPAddress]? {
        if let literal = IPAddress(host: fixed[host] ?? host) { return [literal] }
        let now = time.monotonic
        return known.withLock { known in
            known[host].flatMap { now - $0.since < Self.lifetime ? $0.addresses : nil }
        }
    }

    private func addresses(of host: String) async throws -> [IPAddress] {
        if let known = knownAddresses(of: host) { return known }
        let now = time.monotonic
        let found = try await Self.resolve(host)
        known.withLock { known in
            known = known.filter { now - $0.value.since < Self.lifetime }
            if !found.isEmpty { known[host] = (found, now) }
        }
        return found
    }

    /// Queries the system's resolver on a pool thread. A cancelled caller doesn't wait for it.
    private static func resolve(_ host: String) async throws -> [IPAddress] {
        let request = SharedRequest {
            await pool.perform { (try? HostLookup.addresses(of: host).get()) ?? [] }
        }
        do {
            return try await request.wait()?.compactMap { IPAddress(host: $0) } ?? []
        } catch {
            throw CacheError(.cancelled, "the request to \(host) was cancelled")
        }
    }
}

/// Lookups of host names with the system's resolver.
package enum HostLookup {
    /// The resolver's error message.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Returns the addresses of a name as text, in the resolver's order. Blocks.
    package static func addresses(of name: String) -> Result<[String], Failure> {
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else { return .failure(Failure(description: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry -> String? in
            guard let entry else { return nil }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            guard status == 0 else { return nil }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return .success(addresses)
    }
}
