import Foundation
import MediaCache

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The mapping of errors of `URLSession` to cache errors.
enum URLErrorMapper {
    /// Returns a `CacheError` for an error of the session. `hadHead` is whether the response head had been received.
    static func cacheError(for error: any Error, host: String, hadHead: Bool) -> CacheError {
        guard let error = error as? URLError else {
            return CacheError(.unreachable, "the request to \(host) failed; try again later", cause: error)
        }
        switch error.code {
        case .cancelled:
            return CacheError(.cancelled, "the request to \(host) was cancelled", cause: error)
        case .timedOut:
            return CacheError(
                .timedOut, "\(host) didn't respond in time; check the address and the network", cause: error)
        case .cannotFindHost, .dnsLookupFailed:
            return CacheError(
                .unreachable, "the name \(host) can't be resolved; check the URL and the network", cause: error)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            return CacheError(
                .unreachable, "\(host) can't be reached: no permitted network is available", cause: error)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            return CacheError(
                .unreachable,
                "the secure connection to \(host) failed; check its certificate, and the app's transport security",
                cause: error)
        case .cannotDecodeContentData, .cannotDecodeRawData:
            return CacheError(.badResponse, "\(host) sent a content coding that can't be decoded", cause: error)
        case .badServerResponse where !hadHead:
            return CacheError(
                .unreachable, "\(host) closed the connection without a response; try again", cause: error)
        case .cannotParseResponse where !hadHead:
            return CacheError(
                .badResponse, "\(host) didn't respond with HTTP; check the URL's scheme and port", cause: error)
        default:
            if hadHead, isTruncation(error) { return truncated(host: host, cause: error) }
            let failure =
                hadHead
                ? "the connection to \(host) was lost during the response body"
                : error.code == .networkConnectionLost
                    ? "the connection to \(host) was lost before the response" : "\(host) can't be reached"
            return CacheError(.unreachable, "\(failure); try again later", cause: error)
        }
    }

    /// Returns the error for a body shorter than its `Content-Length`.
    static func truncated(host: String, cause: (any Error)?) -> CacheError {
        CacheError(.badResponse, "\(host) closed the connection before the end of the response body", cause: cause)
    }
}

extension URLErrorMapper {
    /// Returns whether the connection was closed normally, but before the end of the body.
    private static func isTruncation(_ error: URLError) -> Bool {
        #if canImport(Darwin)
            // A reset connection has the same code, with an underlying system error (kCFStreamErrorDomainPOSIX).
            error.code == .networkConnectionLost && error.userInfo["_kCFStreamErrorDomainKey"] as? Int != 1
        #else
            // FoundationNetworking has a code for resets but none for truncation.
            error.code == .unknown
        #endif
    }
}
