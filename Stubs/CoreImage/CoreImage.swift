// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the CoreImage declarations that the adapter uses.
//
// Interface: developer.apple.com/documentation/coreimage/{ciimage, cicontext}

@_exported import CoreGraphics

public final class CIImage: @unchecked Sendable {
    public init(cgImage image: CGImage) {}
}

public struct CIImageRepresentationOption: Hashable, Sendable {}

public final class CIContext: @unchecked Sendable {
    public init() {}
    public func jpegRepresentation(
        of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
    ) -> Data? { nil }
}
