// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the ProcessInfo declarations that exist only on Apple platforms, which `SystemConditions` and the example
// use. All checked files import this module, because these declarations are part of Foundation there.
//
// Interface: NSProcessInfo.h of Foundation

public import Foundation

extension ProcessInfo {
    @available(macOS 10.10.3, iOS 11.0, tvOS 11.0, visionOS 1.0, *)
    public enum ThermalState: Int, Sendable {
        case nominal
        case fair
        case serious
        case critical
    }

    public static var thermalStateDidChangeNotification: Notification.Name { fatalError() }
    @available(macOS 12.0, iOS 9.0, tvOS 9.0, visionOS 1.0, *)
    public var isLowPowerModeEnabled: Bool { fatalError() }
    public var thermalState: ThermalState { fatalError() }

    #if !STUB_macOS
        @available(iOS 8.2, tvOS 9.0, visionOS 1.0, *)
        @available(macOS, unavailable)
        public func performExpiringActivity(
            withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
        ) {}
    #endif
}

extension Notification.Name {
    public static var NSProcessInfoPowerStateDidChange: Notification.Name { fatalError() }
}
