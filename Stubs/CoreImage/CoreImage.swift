// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the CoreImage declarations that the adapter uses.
//
// Interfaces: CIImage.h and CIContext.h of CoreImage, as Swift imports them

@_exported import CoreGraphics

@available(macOS 10.4, iOS 5.0, tvOS 9.0, visionOS 1.0, *)
public final class CIImage: @unchecked Sendable {
    public init(cgImage image: CGImage) {}
}

public struct CIImageRepresentationOption: Hashable, Sendable {}

@available(macOS 10.4, iOS 5.0, tvOS 9.0, visionOS 1.0, *)
public final class CIContext: @unchecked Sendable {
    public init() {}
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, visionOS 1.0, *)
    public func jpegRepresentation(
        of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
    ) -> Data? { nil }
}
