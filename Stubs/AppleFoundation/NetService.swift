// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the NetService declarations that `BonjourAnnouncement` uses.
//
// Interface: NSNetServices.h of Foundation

public import Foundation

@available(macOS 10.2, iOS 2.0, tvOS 9.0, visionOS 1.0, *)
open class NetService: NSObject {
    public init(domain: String, type: String, name: String, port: Int32) { fatalError() }

    open class func data(fromTXTRecord txtDictionary: [String: Data]) -> Data { fatalError() }

    open func setTXTRecord(_ recordData: Data?) -> Bool { fatalError() }

    open func publish() {}

    open func stop() {}
}
