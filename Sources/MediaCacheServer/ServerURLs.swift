import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary
import NIOCore
import Synchronization

/// The URLs of a server: playback, library and live URLs, including tokens where required. While the server is stopped,
/// the functions throw ``ServerError`` with `wrongState`.
///
/// The URLs in a response have the host that its request named, so that they work on the device that sent the request,
/// also if a container's host or a reverse proxy forwarded it. ``HostPolicy`` has checked that host. The scheme is `https`
/// if a proxy says so in `X-Forwarded-Proto`.
struct ServerURLs: Sendable {
    /// The server's URL as the client of the current task's request sees it (``RouteRequest/serverURL``); nil outside
    /// requests.
    @TaskLocal static var requested: String?

    let addresses: ListenAddresses
    private let access: AccessControl
    /// The path at which a reverse proxy exposes this server, beginning with a slash; or empty.
    private let publicPath: String
    /// Whether library and live URLs need a token.
    private let needsToken: Bool
    /// Whether the URLs are for this machine.
    private let isDirect: Bool

    init(addresses: ListenAddresses, access: AccessControl, configuration: ServerConfiguration) {
        self.addresses = addresses
        self.access = access
        publicPath = configuration.publicPrefix
        needsToken = configuration.isExposed && !configuration.publicRead
        isDirect = false
    }

    private init(directly urls: ServerURLs) {
        (addresses, access, needsToken) = (urls.addresses, urls.access, urls.needsToken)
        publicPath = ""
        isDirect = true
    }

    /// The URLs at the server's own address, for helper processes on this machine. They bypass a reverse proxy.
    var direct: ServerURLs { ServerURLs(directly: self) }

    /// The base of every URL, without a slash at the end; nil while the server is stopped.
    var base: String? {
        guard let own = addresses.first else { return nil }
        return (isDirect ? own : Self.requested ?? own) + publicPath
    }

    /// Returns the playback URL of a resource, which contains the standing playback token.
    func playURL(for url: ResourceURL, options: PlayOptions = PlayOptions()) throws -> String {
        try requireBase() + PlayTarget.path(for: url, token: access.playbackToken, options: options)
    }

    /// Returns the URL to which the names of an asset's playlists and parts are appended.
    func libraryURL(of asset: AssetID) throws -> String { try readerBase() + "\(LibraryRoute.prefix)\(asset)/" }

    /// Returns the URL to which the names of a channel's playlists and parts are appended.
    func liveURL(of channel: ChannelName) throws -> String { try readerBase() + "\(LiveRoute.prefix)\(channel)/" }

    /// Returns the base of library and live URLs, with the standing playback token if they require one.
    private func readerBase() throws -> String {
        try requireBase() + (needsToken ? "\(ReaderPath.prefix)\(access.playbackToken)" : "")
    }

    private func requireBase() throws -> String {
        if let base { return base }
        throw ServerError(.wrongState, "the server has no URLs while it is stopped; start it first")
    }
}

/// The addresses that a server listens on; empty while it is stopped.
final class ListenAddresses: Sendable {
    private let addresses = Mutex<[SocketAddress]>([])

    func set(_ addresses: [SocketAddress]) { self.addresses.withLock { $0 = addresses } }

    /// The URL of the preferred address, for clients on this machine.
    var first: String? { addresses.withLock { $0 }.lazy.compactMap(Self.url).first }

    var urls: [String] { addresses.withLock { $0 }.compactMap(Self.url) }

    var port: Int? { addresses.withLock { $0.first?.port } }

    /// Returns the URLs of the addresses in `network` at which the server listens.
    func urls(in network: [NetworkAddress]) -> [String] {
        let bound = addresses.withLock { $0 }
        return network.compactMap { address in
            bound.first { address.isReached(through: $0) }?.port.map { address.url(port: $0) }
        }
    }

    private static func url(_ address: SocketAddress) -> String? {
        guard let ip = address.ipAddress, let port = address.port else { return nil }
        switch address {
        case .v6: return "http://[\(ip == "::" ? "::1" : ip)]:\(port)"
        // A wildcard address isn't a valid destination (RFC 1122 §3.2.1.3).
        default: return "http://\(ip == "0.0.0.0" ? "127.0.0.1" : ip):\(port)"
        }
    }
}
