import Foundation
import MediaCache

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Puts the session's errors into the cache's words.
enum SessionFailure {
    /// `error` as a `CacheError` that names the host. `hadHead` says whether the response had begun.
    static func cacheError(for error: any Error, host: String, hadHead: Bool) -> CacheError {
        guard let error = error as? URLError else {
            return CacheError(.unreachable, "the request to \(host) failed; try again later", cause: error)
        }
        switch error.code {
        case .cancelled:
            return CacheError(.cancelled, "the request to \(host) was cancelled", cause: error)
        case .timedOut:
            return CacheError(
                .timedOut, "\(host) didn't answer in time; check the address and the network", cause: error)
        case .cannotFindHost, .dnsLookupFailed:
            return CacheError(.unreachable, "the name \(host) isn't known; check the URL and the network", cause: error)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            return CacheError(
                .unreachable, "there is no network that may be used; \(host) can't be asked", cause: error)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            return CacheError(
                .unreachable,
                "no secure connection to \(host); check its certificate, and the app's transport security",
                cause: error)
        case .cannotDecodeContentData, .cannotDecodeRawData:
            return CacheError(.badResponse, "\(host) sent a content coding that can't be decoded", cause: error)
        case .badServerResponse where !hadHead:
            return CacheError(.unreachable, "\(host) closed the connection without an answer; try again", cause: error)
        case .cannotParseResponse where !hadHead:
            return CacheError(
                .badResponse, "\(host) sent what isn't HTTP; check the URL's scheme and port", cause: error)
        default:
            if hadHead, isTruncation(error) { return truncated(host: host, cause: error) }
            let what = hadHead ? "the connection to \(host) broke in mid-body" : "\(host) can't be reached"
            return CacheError(.unreachable, "\(what); try again later", cause: error)
        }
    }

    static func truncated(host: String, cause: (any Error)?) -> CacheError {
        CacheError(.badResponse, "\(host) closed the connection before the body's announced end", cause: cause)
    }
}

extension SessionFailure {
    /// Whether the connection ended in order, but before the body did.
    private static func isTruncation(_ error: URLError) -> Bool {
        #if canImport(Darwin)
            // A connection that broke has the same code, and an error of the system beneath (kCFStreamErrorDomainPOSIX).
            error.code == .networkConnectionLost && error.userInfo["_kCFStreamErrorDomainKey"] as? Int != 1
        #else
            // FoundationNetworking has no code for it, and one for resets.
            error.code == .unknown
        #endif
    }
}
