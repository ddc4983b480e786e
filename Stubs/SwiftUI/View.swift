// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the SwiftUI views and modifiers that the example uses.
//
// Interface: SwiftUI.swiftinterface and SwiftUICore.swiftinterface. Declarations without @available: macOS 10.15,
// iOS 13, tvOS 13, visionOS 1

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public typealias Body = Never
    public var body: Never { fatalError() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        TupleView()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
}

public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
    public var body: Never { fatalError() }
}

public struct EmptyView: PrimitiveView {
    public nonisolated init() {}
}

public struct TupleView<Content>: PrimitiveView {
    nonisolated init() {}
}

/// _ConditionalContent
public struct ConditionalContent<First: View, Second: View>: PrimitiveView {
    nonisolated init() {}
}

public struct Text: PrimitiveView {
    public nonisolated init(_ content: some StringProtocol) {}
}

public struct Spacer: PrimitiveView {
    public nonisolated init() {}
}

public struct HStack<Content: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public struct Group<Content: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public struct Section<Content: View>: PrimitiveView {
    /// The title is a LocalizedStringKey or a string.
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, visionOS 1.0, *)
    public nonisolated init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
    public nonisolated init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    public nonisolated init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

@available(macOS 12.0, iOS 15.0, tvOS 15.0, visionOS 1.0, *)
public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
}

public struct Button: PrimitiveView {
    public nonisolated init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, visionOS 1.0, *)
    public nonisolated init(_ title: some StringProtocol, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
    public nonisolated init(
        _ title: some StringProtocol, systemImage: String, action: @escaping @MainActor () -> Void
    ) {}
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, visionOS 1.0, *)
public struct NavigationStack<Root: View>: PrimitiveView {
    public nonisolated init(@ViewBuilder root: () -> Root) {}
}

public struct NavigationLink<Destination: View>: PrimitiveView {
    public nonisolated init(_ title: some StringProtocol, @ViewBuilder destination: () -> Destination) {}
}

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
public struct ProgressView: PrimitiveView {
    public nonisolated init<V: BinaryFloatingPoint>(_ title: some StringProtocol, value: V?, total: V = 1.0) {}
}

@available(macOS 13.0, iOS 16.0, tvOS 16.0, visionOS 1.0, *)
public struct LabeledContent: PrimitiveView {
    public nonisolated init(_ title: some StringProtocol, value: some StringProtocol) {}
}

// MARK: Styles

public struct Color: Sendable {
    public static let red = Color()
}

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
public protocol LabelStyle {}
@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
public struct IconOnlyLabelStyle: LabelStyle { public init() {} }
@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
extension LabelStyle where Self == IconOnlyLabelStyle {
    public static var iconOnly: IconOnlyLabelStyle { IconOnlyLabelStyle() }
}

public protocol PrimitiveButtonStyle {}
@available(macOS 10.15, iOS 13.0, tvOS 17.0, visionOS 1.0, *)
public struct BorderlessButtonStyle: PrimitiveButtonStyle { public init() {} }
@available(macOS 10.15, iOS 13.0, tvOS 17.0, visionOS 1.0, *)
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

extension View {
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
    public nonisolated func labelStyle(_ style: some LabelStyle) -> some View { self }
    public nonisolated func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View { self }
    public nonisolated func frame(minHeight: CGFloat? = nil) -> some View { self }
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, visionOS 1.0, *)
    public nonisolated func foregroundStyle(_ style: Color) -> some View { self }
    @available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
    public nonisolated func navigationTitle(_ title: some StringProtocol) -> some View { self }
    @available(macOS 12.0, iOS 15.0, tvOS 15.0, visionOS 1.0, *)
    public nonisolated func task(
        priority: TaskPriority = .userInitiated, _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { self }
}
