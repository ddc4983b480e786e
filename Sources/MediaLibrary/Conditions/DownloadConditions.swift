public import Foundation

/// What the device and its network are like at a moment.
public struct DeviceConditions: Sendable, Hashable {
    /// The network that transfers would take.
    public enum Network: Sendable, Hashable {
        /// None.
        case absent
        /// One whose bytes cost: mobile, a hotspot.
        case metered
        /// One whose bytes don't.
        case unmetered
    }

    /// The network.
    public var network: Network
    /// What tells this network from others, if anything does: a change starts estimates anew.
    public var networkName: String
    /// Whether power comes from outside.
    public var isCharging: Bool
    /// Whether the user asked to save power.
    public var isLowPower: Bool
    /// Whether the device is so hot that work should wait.
    public var isHot: Bool

    /// Conditions; without arguments those under which everything may run.
    public init(
        network: Network = .unmetered, networkName: String = "", isCharging: Bool = true, isLowPower: Bool = false,
        isHot: Bool = false
    ) {
        self.network = network
        self.networkName = networkName
        self.isCharging = isCharging
        self.isLowPower = isLowPower
        self.isHot = isHot
    }
}

/// Tells what the device is like, and when that changes.
public protocol DownloadConditions: Sendable {
    /// What it's like now.
    var current: DeviceConditions { get }

    /// What it's like after each change from now on. Each call gives a stream of its own.
    func changes() -> AsyncStream<DeviceConditions>
}

/// Conditions that never change.
public struct SteadyConditions: DownloadConditions {
    /// What they are.
    public let current: DeviceConditions

    /// Creates conditions; without an argument those under which everything may run.
    public init(_ current: DeviceConditions = DeviceConditions()) {
        self.current = current
    }

    /// A stream that ends at once.
    public func changes() -> AsyncStream<DeviceConditions> { AsyncStream { $0.finish() } }
}

/// Under which conditions downloads run.
public struct DownloadPolicy: Sendable, Hashable, Codable {
    /// Hours of the day, by the local clock, in minutes after midnight; the end may lie before the start, past midnight.
    public struct Hours: Sendable, Hashable, Codable {
        /// When they begin.
        public var start: Int
        /// When they end.
        public var end: Int

        /// Hours of the day, in minutes after midnight, 0 to 1440.
        public init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }

        func contains(_ minute: Int) -> Bool {
            start <= end ? start <= minute && minute < end : minute >= start || minute < end
        }
    }

    /// Only over a network whose bytes don't cost.
    public var onlyUnmetered = false
    /// Only while power comes from outside.
    public var onlyCharging = false
    /// Not while the user saves power, nor while the device is hot.
    public var sparesPower = false
    /// Only at these hours; nil means any.
    public var hours: Hours?
    /// Bytes to leave free on the disk, over the cache's own reserve.
    public var freeSpaceReserve: Int64 = 0

    /// A policy under which everything runs at any time.
    public init() {}

    /// What keeps downloads from running, or nil.
    ///
    /// - Parameters:
    ///   - conditions: what the device is like.
    ///   - now: the moment.
    ///   - calendar: whose hours count.
    public func obstacle(
        under conditions: DeviceConditions, at now: Date, calendar: Calendar = .current
    ) -> DownloadObstacle? {
        if conditions.network == .absent { return DownloadObstacle(.network, "there is no network") }
        if onlyUnmetered, conditions.network == .metered {
            return DownloadObstacle(.network, "this network's bytes cost; it waits for another")
        }
        if onlyCharging, !conditions.isCharging { return DownloadObstacle(.power, "it waits for the charger") }
        if sparesPower, conditions.isHot { return DownloadObstacle(.power, "the device is hot") }
        if sparesPower, conditions.isLowPower { return DownloadObstacle(.power, "power is being saved") }
        if let hours, let until = wait(for: hours, at: now, calendar) {
            return DownloadObstacle(.hours, "it waits for its hours", until: until)
        }
        return nil
    }

    /// When the hours begin or end next; nil where there are none.
    func nextChange(after now: Date, calendar: Calendar = .current) -> Date? {
        guard let hours, hours.start != hours.end else { return nil }
        return [hours.start, hours.end].compactMap { minute in
            calendar.nextDate(
                after: now, matching: DateComponents(hour: minute / 60 % 24, minute: minute % 60),
                matchingPolicy: .nextTime)
        }.min()
    }

    /// When the hours begin next; nil while they last.
    private func wait(for hours: Hours, at now: Date, _ calendar: Calendar) -> Date? {
        let parts = calendar.dateComponents([.hour, .minute], from: now)
        let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
        guard !hours.contains(minute) else { return nil }
        let start = DateComponents(hour: hours.start / 60 % 24, minute: hours.start % 60)
        return calendar.nextDate(after: now, matching: start, matchingPolicy: .nextTime)
            ?? now.addingTimeInterval(3600)
    }
}
