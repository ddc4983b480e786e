// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the Network declarations that `SystemConditions` uses.
//
// Interface: Network.swiftinterface. All of it: macOS 10.14, iOS 12, tvOS 12, visionOS 1; isConstrained: macOS 10.15,
// iOS 13, tvOS 13

public import Dispatch

public final class NWPathMonitor: Sendable {
    public init() {}
    public var currentPath: NWPath { fatalError() }
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { nil }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}

public struct NWPath: Sendable, Equatable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public var status: Status { fatalError() }
    public var isExpensive: Bool { fatalError() }
    public var isConstrained: Bool { fatalError() }
    public var availableInterfaces: [NWInterface] { [] }
}

public struct NWInterface: Sendable, Equatable {
    public var name: String { fatalError() }
}
