// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the UniformTypeIdentifiers declarations that the adapter uses.
//
// Interface: developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct

public struct UTType: Sendable, Hashable {
    public init?(mimeType: String, conformingTo supertype: UTType = .data) { nil }
    public var identifier: String { fatalError() }
    public var isDynamic: Bool { fatalError() }
    public static var data: UTType { fatalError() }
}
