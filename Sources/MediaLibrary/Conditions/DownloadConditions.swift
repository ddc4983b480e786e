public import Foundation

/// The state of the device and its network.
public struct DeviceConditions: Sendable, Hashable {
    /// The kinds of networks.
    public enum Network: Sendable, Hashable {
        /// No network.
        case absent
        /// A metered network, such as a mobile network or a hotspot.
        case metered
        /// An unmetered network.
        case unmetered
    }

    /// The network that transfers would use.
    public var network: Network
    /// The name of the network; empty if unknown. A change of the name resets the estimates of transfer rates.
    public var networkName: String
    /// Whether the device has external power.
    public var isCharging: Bool
    /// Whether the user has turned on power saving.
    public var isLowPower: Bool
    /// Whether the device is so hot that work should wait.
    public var isHot: Bool

    /// Creates conditions. By default, they don't prevent downloads.
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

/// A source of the device's conditions and their changes.
public protocol DownloadConditions: Sendable {
    /// The current conditions.
    var current: DeviceConditions { get }

    /// Updates ``current``, if it may be outdated. The default does nothing.
    func refresh() async

    /// Returns a stream of the conditions after each future change. Each call returns an independent stream.
    func changes() -> AsyncStream<DeviceConditions>
}

extension DownloadConditions {
    /// Does nothing.
    public func refresh() async {}
}

/// Conditions that never change.
public struct SteadyConditions: DownloadConditions {
    /// The conditions.
    public let current: DeviceConditions

    /// Creates conditions. By default, they don't prevent downloads.
    public init(_ current: DeviceConditions = DeviceConditions()) { self.current = current }

    /// Returns a stream that ends immediately.
    public func changes() -> AsyncStream<DeviceConditions> { AsyncStream { $0.finish() } }
}

/// The conditions under which downloads run.
public struct DownloadPolicy: Sendable, Hashable, Codable {
    /// A time range within a day, in minutes after midnight, local time. A range whose end precedes its start spans
    /// midnight. A range whose end equals its start is empty.
    public struct Hours: Sendable, Hashable, Codable {
        /// The start in minutes after midnight.
        public var start: Int
        /// The end in minutes after midnight.
        public var end: Int

        /// Creates a time range. Both values range from 0 to 1440.
        public init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }

        func contains(_ minute: Int) -> Bool {
            start <= end ? start <= minute && minute < end : minute >= start || minute < end
        }
    }

    /// Whether downloads only run over unmetered networks.
    public var onlyUnmetered = false
    /// Whether downloads only run with external power.
    public var onlyCharging = false
    /// Whether downloads wait while power saving is on or the device is hot.
    public var sparesPower = false
    /// The hours of the day during which downloads run; nil means all.
    public var hours: Hours?
    /// The number of bytes that downloads leave free on the disk.
    public var freeSpaceReserve: Int64 = 0

    /// Creates a policy under which downloads always run.
    public init() {}

    /// Returns the obstacle that prevents downloads from running under the given conditions and at the given time, with
    /// its time of day in `calendar`; nil if there is none. ``freeSpaceReserve`` isn't checked.
    public func obstacle(
        under conditions: DeviceConditions, at now: Date, calendar: Calendar = .current
    ) -> DownloadObstacle? {
        if conditions.network == .absent { return DownloadObstacle(.network, "there is no network") }
        if onlyUnmetered, conditions.network == .metered {
            return DownloadObstacle(.network, "the network is metered; the download waits for an unmetered network")
        }
        if onlyCharging, !conditions.isCharging { return DownloadObstacle(.power, "the device isn't charging") }
        if sparesPower, conditions.isHot { return DownloadObstacle(.power, "the device is hot") }
        if sparesPower, conditions.isLowPower { return DownloadObstacle(.power, "power saving is on") }
        if let hours, let until = nextStart(of: hours, at: now, calendar) {
            return DownloadObstacle(.hours, "downloads don't run at this time of day", until: until)
        }
        return nil
    }

    /// Returns the next time at which the permitted hours begin or end; nil if all hours are permitted, or none.
    func nextChange(after now: Date, calendar: Calendar = .current) -> Date? {
        guard let hours, hours.start != hours.end else { return nil }
        return [hours.start, hours.end].compactMap { minute in
            calendar.nextDate(
                after: now, matching: DateComponents(hour: minute / 60 % 24, minute: minute % 60),
                matchingPolicy: .nextTime)
        }.min()
    }

    /// Returns the next time at which the permitted hours begin; nil if the current time is within them.
    private func nextStart(of hours: Hours, at now: Date, _ calendar: Calendar) -> Date? {
        let parts = calendar.dateComponents([.hour, .minute], from: now)
        let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
        guard !hours.contains(minute) else { return nil }
        let start = DateComponents(hour: hours.start / 60 % 24, minute: hours.start % 60)
        return calendar.nextDate(after: now, matching: start, matchingPolicy: .nextTime)
            ?? now.addingTimeInterval(3600)
    }
}
