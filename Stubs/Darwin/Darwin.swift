// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the Apple declarations that `MediaCacheURLSession` uses and FoundationNetworking lacks.
//
// Interfaces: developer.apple.com/documentation/foundation/urlsessionconfiguration; socket(2)

@_exported import FoundationNetworking
@_exported import Glibc

public let SOCK_STREAM: Int32 = 1

extension URLSessionConfiguration {
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
    public var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
    public var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set {}
    }
    public var waitsForConnectivity: Bool {
        get { true }
        set {}
    }
    public var sessionSendsLaunchEvents: Bool {
        get { true }
        set {}
    }
}
