// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the UniformTypeIdentifiers declarations that the adapter uses.
//
// Interface: UniformTypeIdentifiers.swiftinterface, UTTagClass.h

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
public struct UTType: Sendable, Hashable {
    public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) { nil }
    public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] { [] }
    public var identifier: String { fatalError() }
    public var isDynamic: Bool { fatalError() }
    public static var data: UTType { fatalError() }
}

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
public struct UTTagClass: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var filenameExtension: UTTagClass { UTTagClass(rawValue: "public.filename-extension") }
    public static var mimeType: UTTagClass { UTTagClass(rawValue: "public.mime-type") }
}
