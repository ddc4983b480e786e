// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the ProcessInfo declarations that exist only on Apple platforms and that `SystemConditions` uses with
// Network.
//
// Interface: developer.apple.com/documentation/foundation/processinfo

public import Foundation

extension ProcessInfo {
    public enum ThermalState: Int, Sendable {
        case nominal
        case fair
        case serious
        case critical
    }

    public static var thermalStateDidChangeNotification: Notification.Name { fatalError() }
    public var isLowPowerModeEnabled: Bool { fatalError() }
    public var thermalState: ThermalState { fatalError() }
}

extension Notification.Name {
    public static var NSProcessInfoPowerStateDidChange: Notification.Name { fatalError() }
}
