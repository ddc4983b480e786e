// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the SwiftUI declarations that the example uses: the structure of an app, its scenes and environment.
//
// Interface: SwiftUI.swiftinterface and SwiftUICore.swiftinterface. SwiftUI exports Foundation and Observation.

@_exported import Foundation
@_exported import Observation

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor @preconcurrency public static func main() {}
}

// MARK: Scenes

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder
public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
@MainActor @preconcurrency public struct WindowGroup<Content: View>: Scene {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
public enum ScenePhase: Comparable, Hashable, Sendable {
    case background
    case inactive
    case active
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, visionOS 1.0, *)
public struct BackgroundTask<Request, Response>: Sendable {
    public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> { BackgroundTask<Void, Void>() }
}

extension Scene {
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, visionOS 1.0, *)
    public nonisolated func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some Scene { self }

    @available(macOS 13.0, iOS 16.0, tvOS 16.0, visionOS 1.0, *)
    public nonisolated func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
    ) -> some Scene { self }
}

// MARK: State and environment

@propertyWrapper
@available(macOS 10.15, iOS 13.0, tvOS 13.0, visionOS 1.0, *)
public struct State<Value> {
    public init(wrappedValue value: Value) {}
    public init(initialValue value: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
@available(macOS 10.15, iOS 13.0, tvOS 13.0, visionOS 1.0, *)
public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}

@available(macOS 10.15, iOS 13.0, tvOS 13.0, visionOS 1.0, *)
public struct EnvironmentValues {
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
    public var scenePhase: ScenePhase { .active }
}
