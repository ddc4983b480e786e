// With the stubs of `make check-apple`, Network can also be imported on Linux, and the other branch is compiled there.
#if os(Linux) && !canImport(Network)
    internal import Foundation
    internal import MediaCache
    import Synchronization

    /// The conditions of a Linux device, from its network interfaces and power supplies.
    ///
    /// The kernel doesn't know whether a network is metered, so another source decides, if there is one. Without its
    /// answer, mobile interfaces (`wwan`, `ppp`, `usb`) count as metered. A setting takes precedence over both.
    public final class SystemConditions: DownloadConditions {
        private static let interval = Duration.seconds(2)
        /// The time for which an answer of the source is used, unless the interface of the default route changes.
        private static let answerLifetime = Duration.seconds(60)
        /// The time after which the source is asked again if it has no answer.
        private static let retryInterval = Duration.seconds(300)

        /// The last answer of the source.
        private struct Answer {
            let isMetered: Bool?
            let link: String?
            let time: ContinuousClock.Instant
        }

        private let isMetered: Bool
        private let root: String
        private let source: (any MeteredNetworkSource)?
        private let hub = EventHub<DeviceConditions>()
        private let watch = Mutex<Task<Void, Never>?>(nil)
        private let last = Mutex(DeviceConditions())
        private let answer = Mutex<Answer?>(nil)

        /// Creates the conditions of this machine, and reads them on the current thread. The source isn't asked yet.
        ///
        /// - Parameters:
        ///   - isMetered: Whether any network counts as metered.
        ///   - source: The source of whether the network is metered.
        ///   - root: The path prepended to `/sys` and `/proc`, for tests.
        public init(isMetered: Bool = false, source: (any MeteredNetworkSource)? = nil, root: String = "") {
            self.isMetered = isMetered
            self.root = root
            self.source = isMetered ? nil : source
            let first = read()
            last.withLock { $0 = first }
        }

        deinit { watch.withLock { $0?.cancel() } }

        /// The conditions at the last time they were read. They're read periodically once ``changes()`` has been
        /// called.
        ///
        /// This property reads no files, because some drivers take long to respond.
        public var current: DeviceConditions { last.withLock { $0 } }

        /// Reads the conditions on another thread, and asks the source.
        public func refresh() async { await update() }

        private func read() -> DeviceConditions {
            let link = activeLink
            let supplies = names(in: "/sys/class/power_supply").map { "/sys/class/power_supply/\($0)" }
            let mains = supplies.filter { text("\($0)/type") == "Mains" || text("\($0)/type") == "USB" }
            let batteries = supplies.filter { text("\($0)/type") == "Battery" && text("\($0)/scope") != "Device" }
            let isCharging = batteries.isEmpty || mains.contains { text("\($0)/online") == "1" }
            let isMobile = link.map { $0.hasPrefix("wwan") || $0.hasPrefix("ppp") || $0.hasPrefix("usb") } ?? false
            let knownMetered = answer.withLock { $0?.isMetered }
            // Never `absent`: the origin may be on this machine, and not every working link is listed as up.
            return DeviceConditions(
                network: isMetered || knownMetered ?? isMobile ? .metered : .unmetered, networkName: link ?? "",
                isCharging: isCharging,
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
            await askSource()
            guard let now = try? await BlockingOperation.run({ self.read() }) else { return }
            let hasChanged = last.withLock { last in
                defer { last = now }
                return last != now
            }
            if hasChanged { hub.send(now) }
        }

        /// Asks the source whether the network is metered, unless its last answer is still valid.
        private func askSource() async {
            guard let source else { return }
            let link = (try? await BlockingOperation.run { self.activeLink }) ?? nil
            let isValid = answer.withLock { answer in
                guard let answer, answer.link == link else { return false }
                let lifetime = answer.isMetered == nil ? Self.retryInterval : Self.answerLifetime
                return answer.time.duration(to: .now) < lifetime
            }
            guard !isValid else { return }
            let found = Answer(isMetered: await source.isMetered(), link: link, time: .now)
            answer.withLock { $0 = found }
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

        private let isMetered: Bool
        /// Written only by `init`, and read by `deinit`.
        nonisolated(unsafe) private var observers: [any NSObjectProtocol] = []

        /// Creates the conditions of this device.
        ///
        /// - Parameters:
        ///   - isMetered: Whether any network counts as metered.
        ///   - source: Ignored, since the system knows whether the network is metered.
        public init(isMetered: Bool = false, source: (any MeteredNetworkSource)? = nil) {
            self.isMetered = isMetered
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
            if isMetered, conditions.network == .unmetered { conditions.network = .metered }
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
