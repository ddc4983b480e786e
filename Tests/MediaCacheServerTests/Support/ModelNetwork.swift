import MediaCache
import MediaCacheTesting
import Synchronization

/// A simulated network. It resolves names with a table, applies the access rule as every origin must, and records
/// attempts and contacts.
final class ModelNetwork: Origin {
    private struct State {
        var attempts: Set<ResourceURL> = []
        var contacts: Set<ResourceURL> = []
        var actions: [ResourceURL: @Sendable () -> Void] = [:]
    }

    let scripted = ScriptedOrigin()
    private let isProxied: Bool
    private let rule = AccessRule()
    private let state = Mutex(State())

    /// - Parameter isProxied: Whether a proxy connects to the hosts, so that their addresses are unknown.
    init(isProxied: Bool) { self.isProxied = isProxied }

    /// The URLs that the engine tried to request.
    var attempts: Set<ResourceURL> { state.withLock { $0.attempts } }

    /// The URLs to which a request was sent.
    var contacts: Set<ResourceURL> { state.withLock { $0.contacts } }

    /// Calls `action` before each response to a request for `url`.
    func before(_ url: ResourceURL, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions[url.withoutUserInfo] = action }
    }

    /// Returns the address of a URL's host. A host whose name begins with `rebinding` has a public address for
    /// playlists, and a local one for paths below `/t/`.
    private static func address(of url: ResourceURL) -> IPAddress? {
        if let literal = IPAddress(host: url.host) { return literal }
        switch url.host {
        case "localhost", "localhost.": return IPAddress("127.0.0.1")
        case "inner.example": return IPAddress("10.0.0.9")
        case "inner6.example": return IPAddress("64:ff9b::10.0.0.9")
        default: break
        }
        let isRebound = url.host.hasPrefix("rebinding") && url.target.hasPrefix("/t/")
        return IPAddress(isRebound ? "127.0.0.1" : "93.184.215.14")
    }

    func send(_ request: OriginRequest) async throws -> OriginResponse {
        let url = request.url.withoutUserInfo
        let address = Self.address(of: url)
        let action = state.withLock { state in
            state.attempts.insert(url)
            return state.actions[url]
        }
        guard rule.permits(url, scope: request.scope, isProxied: isProxied),
            isProxied || rule.permits(connected: address, scope: request.scope)
        else { throw CacheError(.forbiddenAddress, "\(url) is at \(address?.description ?? "an unknown address")") }
        state.withLock { _ = $0.contacts.insert(url) }
        action?()
        var request = request
        request.scope = .any
        var response = try await scripted.send(request)
        response.peer = isProxied ? .unknown : address?.kind ?? .unknown
        return response
    }
}
