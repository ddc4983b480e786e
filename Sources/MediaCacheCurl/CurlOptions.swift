import CMediaCacheCurl
import Foundation
import MediaCache

/// The options that all transfers of an origin share.
struct CurlOptions: Sendable {
    /// The maximum number of bytes that libcurl receives at a time.
    static let maximumReceiveSize = 512 << 10

    /// The maximum number of bytes of a request's content that are read at a time.
    static let maximumSendSize = 256 << 10

    /// Returns the maximum number of bytes of a buffer while `transfers` transfers run. Large buffers cost less time
    /// per byte; with many transfers, small ones limit the memory.
    static func pieceSize(transfers: Int) -> Int {
        var size = 512 << 10
        while size > 128 << 10, size * transfers > 4 << 20 { size /= 2 }
        return size
    }

    let proxy: UpstreamProxy?
    let rule: AccessRule
    /// The idle time after which a connection isn't used again, in seconds.
    let idleSeconds: Int
    let connectionsPerHost: Int
    /// Trusted certificates in PEM format, in addition to those of the system's folder; nil for the system's alone.
    private let certificates: [UInt8]?

    /// Creates options.
    ///
    /// - Throws: `CacheError` with `storage` if a certificate file can't be read or contains no certificate.
    init(_ settings: CurlSettings) throws {
        self.init(settings, certificates: try Self.certificates(settings.certificateAuthorityFiles))
    }

    init(_ settings: CurlSettings, certificates: [UInt8]?) {
        proxy = settings.proxy
        rule = AccessRule(grants: settings.allowedNetworks)
        idleSeconds = max(1, Int(settings.idleConnectionLimit.components.seconds))
        connectionsPerHost = settings.connectionsPerHost
        self.certificates = certificates
    }

    private static func certificates(_ paths: [String]) throws -> [UInt8]? {
        guard !paths.isEmpty else { return nil }
        var all: [UInt8] = []
        for path in paths {
            let cause: (any Error)?
            do {
                let bytes = try Data(contentsOf: URL(filePath: path))
                if String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") {
                    all += bytes + [0x0A]
                    continue
                }
                cause = nil
            } catch {
                cause = error
            }
            throw CacheError(.storage, "no certificate can be read from \(path); it must be a PEM file", cause: cause)
        }
        // A list of certificates replaces the system's file, but not its folder.
        if let file = CurlLibrary.certificateFile, CurlLibrary.certificateFolder == nil {
            all += (try? Data(contentsOf: URL(filePath: file))) ?? Data()
        }
        return all
    }

    /// Returns whether requests for a URL are sent to a proxy that forwards them (RFC 9112 §3.2.2). All others use a
    /// tunnel or no proxy.
    func isForwarded(_ url: ResourceURL) -> Bool {
        guard let proxy else { return false }
        return proxy.kind != .socks5 && url.scheme == "http"
    }

    /// Sets the options of a transfer that depend only on the origin's settings.
    func apply(to handle: CurlHandle) {
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        handle.set(CURLOPT_PATH_AS_IS, 1)
        handle.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        handle.set(CURLOPT_MAXAGE_CONN, idleSeconds)
        // Without a value, libcurl would read a proxy from the environment.
        handle.set(CURLOPT_PROXY, proxy.map(Self.address(of:)) ?? "")
        // Otherwise, NO_PROXY in the environment could bypass the proxy. The addresses of such connections wouldn't be
        // checked, because none are while a proxy is set.
        handle.set(CURLOPT_NOPROXY, "")
        if let proxy { apply(proxy, to: handle) }
        if let certificates { handle.set(CURLOPT_CAINFO_BLOB, certificates) }
    }
}

extension CurlOptions {
    /// Returns the URL of a proxy. With the scheme `socks5h`, the proxy resolves names.
    private static func address(of proxy: UpstreamProxy) -> String {
        proxy.kind == .socks5 ? "socks5h" + proxy.description.dropFirst("socks5".count) : proxy.description
    }

    private func apply(_ proxy: UpstreamProxy, to handle: CurlHandle) {
        if proxy.kind == .https, let certificates { handle.set(CURLOPT_PROXY_CAINFO_BLOB, certificates) }
        switch proxy.authorization {
        case nil: break
        case .basic(let user, let password):
            handle.set(CURLOPT_PROXYAUTH, mc_curl_auth_basic)
            handle.set(CURLOPT_PROXYUSERNAME, user)
            handle.set(CURLOPT_PROXYPASSWORD, password)
        case .bearer(let token):
            handle.set(CURLOPT_PROXYHEADER, ["Proxy-Authorization: Bearer \(token)"])
        }
    }
}

/// The global state of libcurl.
enum CurlLibrary {
    /// Whether libcurl could be initialized, which happens when this is first read.
    static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The path of the system's certificates, if they are in one file.
    static let certificateFile: String? = defaultPath(CURLINFO_CAINFO)
    /// The path of the system's certificates, if they are in a folder.
    static let certificateFolder: String? = defaultPath(CURLINFO_CAPATH)

    private static func defaultPath(_ info: CURLINFO) -> String? {
        guard isReady, let handle = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(handle) }
        return mc_curl_get_text(handle, info).map { String(cString: $0) }
    }
}
