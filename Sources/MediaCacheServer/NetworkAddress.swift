import MediaCache
import NIOCore
import NIOPosix

/// An address of this machine that other devices can name: neither a loopback nor a wildcard address, and not an IPv6
/// link-local address, which needs a zone that only the other device knows.
struct NetworkAddress: Sendable, Hashable {
    private static let zoned = AddressRange("fe80::/10")

    let ip: IPAddress

    init?(_ ip: IPAddress) {
        let isUnspecified = ip.bytes.allSatisfy { $0 == 0 }
        guard !isUnspecified, !HostPolicy.isLoopback(ip.description), Self.zoned?.contains(ip) == false else {
            return nil
        }
        self.ip = ip
    }

    private init?(_ address: SocketAddress) {
        // NIO appends no zone.
        guard let ip = address.ipAddress.flatMap({ IPAddress($0) }) else { return nil }
        self.init(ip)
    }

    private var isIPv4: Bool { ip.bytes.count == 4 }

    func url(port: Int) -> String { "http://\(isIPv4 ? "\(ip)" : "[\(ip)]"):\(port)" }

    /// Returns whether a connection to this address reaches a listening socket.
    func isReached(through socket: SocketAddress) -> Bool {
        switch socket {
        case .v4 where socket.ipAddress == "0.0.0.0": isIPv4
        // Unless there is an IPv4 socket too, this one also accepts IPv4 connections.
        case .v6 where socket.ipAddress == "::": true
        default: NetworkAddress(socket) == self
        }
    }

    /// Returns the addresses of this machine, the one of the default route first.
    static func all() async -> [NetworkAddress] { preferred(interfaces(), routed: await routed()) }

    private static func interfaces() -> [(name: String, address: NetworkAddress)] {
        let devices = (try? System.enumerateDevices()) ?? []
        return devices.compactMap { device in
            device.address.flatMap { NetworkAddress($0) }.map { (name: device.name, address: $0) }
        }
    }

    /// Returns the address from which packets to other networks are sent; nil without a default route. Connecting a UDP
    /// socket sends no packet.
    private static func routed() async -> NetworkAddress? {
        // An address for documentation (RFC 5737).
        let bootstrap = DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let channel = try? await bootstrap.connect(host: "192.0.2.1", port: 9).get() else { return nil }
        defer { channel.close(promise: nil) }
        return channel.localAddress.flatMap { NetworkAddress($0) }
    }

    /// Returns the addresses by which people would call this machine, the best one first.
    ///
    /// Tunnels come last. Bridges of containers and virtual machines are left out, and so are IPv4 link-local addresses, unless there are
    /// no others. IPv6 addresses are left out if there is an IPv4 address, since they are long and often temporary.
    static func preferred(
        _ interfaces: [(name: String, address: NetworkAddress)], routed: NetworkAddress?
    ) -> [NetworkAddress] {
        let own = interfaces.filter { !isVirtual($0.name) && !isAutomatic($0.address) }
        let usable = own.isEmpty ? interfaces : own
        // Devices at home don't reach the address of a tunnel, even if it has the default route.
        let addresses = usable.filter { !isTunnel($0.name) }.map(\.address)
        let tunnels = usable.filter { isTunnel($0.name) }.map(\.address)
        let ordered = addresses.filter { $0 == routed } + addresses.filter { $0 != routed } + tunnels
        let found = ordered.contains { $0.isIPv4 } ? ordered.filter(\.isIPv4) : ordered
        var seen: Set<NetworkAddress> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// Returns whether an address was chosen by the machine itself (RFC 3927).
    private static func isAutomatic(_ address: NetworkAddress) -> Bool {
        address.ip.bytes.starts(with: [169, 254]) && address.isIPv4
    }

    private static func isTunnel(_ name: String) -> Bool {
        ["tun", "tap", "wg", "utun", "ppp", "ipsec", "tailscale", "zt"].contains { name.hasPrefix($0) }
    }

    /// Returns whether an interface connects containers or virtual machines on this machine.
    private static func isVirtual(_ name: String) -> Bool {
        // Docker names the bridges of its networks by twelve digits.
        if name.hasPrefix("br-"), name.count == 15, name.dropFirst(3).allSatisfy(\.isHexDigit) { return true }
        return ["docker", "veth", "virbr", "podman", "cni", "flannel", "lxc", "lxd", "vmnet", "vboxnet"].contains {
            name.hasPrefix($0)
        }
    }
}
