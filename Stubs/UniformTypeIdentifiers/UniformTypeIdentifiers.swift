// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of UniformTypeIdentifiers that the adapter uses. Nothing here does anything.
//
// Interface: developer.apple.com/documentation/uniformtypeidentifiers/uttype-swift.struct

public struct UTType: Sendable, Hashable {
    public init?(mimeType: String, conformingTo supertype: UTType = .data) { nil }
    public var identifier: String { fatalError() }
    public var isDynamic: Bool { fatalError() }
    public static var data: UTType { fatalError() }
}
