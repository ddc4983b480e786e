// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the Apple declarations that `MediaCacheURLSession` uses and FoundationNetworking lacks.
//
// Interfaces: NSURLSession.h of Foundation; socket(2). background(withIdentifier:): macOS 10.10, iOS 8;
// allowsExpensiveNetworkAccess and allowsConstrainedNetworkAccess: macOS 10.15, iOS 13; waitsForConnectivity: macOS
// 10.13, iOS 11; sessionSendsLaunchEvents: macOS 11, iOS 7; all on tvOS and visionOS

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
