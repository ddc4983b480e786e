// With the stubs of `make check-apple`, Network can also be imported on Linux, and the other branch is compiled there.
#if os(Linux) && !canImport(Network)
    internal import Foundation
    internal import MediaCache
    import Synchronization

    /// The conditions of a Linux device, from its network interfaces and power supplies.
    ///
    /// The kernel doesn't know whether a network is metered, so it's a setting. Mobile interfaces (`wwan`, `ppp`,
    /// `usb`) always count as metered.
    public final class SystemConditions: DownloadConditions {
        private static let interval = Duration.seconds(2)

        private let isMetered: Bool
        private let root: String
        private let hub = EventHub<DeviceConditions>()
        private let watch = Mutex<Task<Void, Never>?>(nil)
        private let last = Mutex(DeviceConditions())

        /// Creates the conditions of this machine, and reads them on the current thread.
        ///
        /// - Parameters:
        ///   - isMetered: Whether any network counts as metered.
        ///   - root: The path prepended to `/sys` and `/proc`, for tests.
        public init(isMetered: Bool = false, root: String = "") {
            self.isMetered = isMetered
            self.root = root
            let first = read()
            last.withLock { $0 = first }
        }

        deinit { watch.withLock { $0?.cancel() } }

        /// The conditions at the last time they were read. They're read periodically once ``changes()`` has been
        /// called.
        ///
        /// This property reads no files, because some drivers take long to respond.
        public var current: DeviceConditions { last.withLock { $0 } }

        private func read() -> DeviceConditions {
            let link = activeLink
            let supplies = names(in: "/sys/class/power_supply").map { "/sys/class/power_supply/\($0)" }
            let mains = supplies.filter { text("\($0)/type") == "Mains" || text("\($0)/type") == "USB" }
            let batteries = supplies.filter { text("\($0)/type") == "Battery" && text("\($0)/scope") != "Device" }
            let isCharging = batteries.isEmpty || mains.contains { text("\($0)/online") == "1" }
            let isMobile = link.map { $0.hasPrefix("wwan") || $0.hasPrefix("ppp") || $0.hasPrefix("usb") } ?? false
            // Never `absent`: the origin may be on this machine, and not every working link is listed as up.
            return DeviceConditions(
                network: isMetered || isMobile ? .metered : .unmetered, networkName: link ?? "", isCharging: isCharging,
                isLowPower: text("/sys/firmware/acpi/platform_profile") == "low-power", isHot: isHot)
        }

        /// Returns a stream of the conditions after each future change.
        public func changes() -> AsyncStream<DeviceConditions> {
            let stream = hub.stream()
            startWatching()
            return stream
        }

        private func startWatching() {
            watch.withLock { watch in
                guard watch == nil else { return }
                watch = Task(priority: .utility) { [weak self] in
                    repeat { await self?.update() } while (try? await Task.sleep(for: Self.interval)) != nil
                }
            }
        }

        private func update() async {
            guard let now = try? await BlockingOperation.run({ self.read() }) else { return }
            let hasChanged = last.withLock { last in
                defer { last = now }
                return last != now
            }
            if hasChanged { hub.send(now) }
        }

        /// The interface of the default IPv4 route; without one, the first interface that is up, except loopback.
        private var activeLink: String? {
            let routes = (text("/proc/net/route") ?? "").split(separator: "\n").dropFirst()
            let fields = routes.map { $0.split(separator: "\t") }
            if let route = fields.first(where: { $0.count > 2 && $0[1] == "00000000" }) { return String(route[0]) }
            return names(in: "/sys/class/net").sorted().first {
                $0 != "lo" && text("/sys/class/net/\($0)/operstate") == "up"
            }
        }

        /// Whether a thermal zone has reached the temperature of passive cooling.
        private var isHot: Bool {
            names(in: "/sys/class/thermal").contains { zone in
                let path = "/sys/class/thermal/\(zone)"
                guard let now = text("\(path)/temp").flatMap(Int.init), text("\(path)/trip_point_0_type") == "passive",
                    let limit = text("\(path)/trip_point_0_temp").flatMap(Int.init), limit > 0
                else { return false }
                return now >= limit
            }
        }

        private func text(_ path: String) -> String? { SystemFile.text(root + path) }

        private func names(in path: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []
        }
    }
#elseif canImport(Network)
    internal import Foundation
    internal import MediaCache
    internal import Network
    import Synchronization

    /// The conditions of an Apple device: network path, low power mode, and thermal state.
    public final class SystemConditions: DownloadConditions {
        private let monitor = NWPathMonitor()
        private let path = Mutex(DeviceConditions(networkName: "unknown"))
        private let hub = EventHub<DeviceConditions>()

        /// Written only by `init`, and read by `deinit`.
        nonisolated(unsafe) private var observers: [any NSObjectProtocol] = []

        /// Creates the conditions of this device.
        public init() {
            // Low power mode and the thermal state change independently of the network.
            for name in [.NSProcessInfoPowerStateDidChange, ProcessInfo.thermalStateDidChangeNotification] {
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                    [weak self] _ in
                    guard let self else { return }
                    hub.send(current)
                }
                observers.append(observer)
            }
            monitor.pathUpdateHandler = { [weak self] in self?.changed(to: $0) }
            monitor.start(queue: DispatchQueue(label: "MediaLibrary.conditions", qos: .utility))
        }

        deinit {
            monitor.cancel()
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }

        /// The current conditions. External power is assumed, not determined.
        public var current: DeviceConditions {
            var conditions = path.withLock { $0 }
            let process = ProcessInfo.processInfo
            conditions.isLowPower = process.isLowPowerModeEnabled
            conditions.isHot = process.thermalState == .serious || process.thermalState == .critical
            return conditions
        }

        /// Returns a stream of the conditions after each future change.
        public func changes() -> AsyncStream<DeviceConditions> { hub.stream() }

        private func changed(to new: NWPath) {
            self.path.withLock { conditions in
                conditions.network =
                    new.status != .satisfied ? .absent : new.isExpensive || new.isConstrained ? .metered : .unmetered
                conditions.networkName = new.availableInterfaces.first?.name ?? ""
            }
            hub.send(current)
        }
    }
#endif
