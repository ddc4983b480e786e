#if canImport(Network)
    import Foundation

    /// The announcement of a server in the local network by Bonjour, with the service type `_http._tcp` (RFC 6763).
    ///
    /// An app lists `_http._tcp` under `NSBonjourServices` in its property list.
    @MainActor
    public final class BonjourAnnouncement {
        private let service: NetService

        /// Announces a server until ``end()`` is called.
        ///
        /// - Parameters:
        ///   - name: The name that other devices show; empty for that of this device.
        ///   - port: The port on which the server listens.
        public init(name: String = "", port: Int) {
            service = NetService(domain: "", type: "_http._tcp.", name: name, port: Int32(port))
            _ = service.setTXTRecord(NetService.data(fromTXTRecord: ["path": Data("/".utf8)]))
            service.publish()
        }

        /// Ends the announcement.
        public func end() { service.stop() }
    }
#endif
