/// A source of whether the network is metered, for systems whose kernel doesn't know. Linux has NetworkManager.
public protocol MeteredNetworkSource: Sendable {
    /// Returns whether the network with the default route is metered; nil if that is unknown. Responds within a few
    /// seconds.
    func isMetered() async -> Bool?
}
