// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the CoreGraphics declarations that the adapter uses, except CGSize, which Foundation declares on Linux.
//
// Interfaces: CGImage.h and CGColorSpace.h of CoreGraphics, as Swift imports them. Names are CFString there, which Linux
// doesn't have.

@_exported import Foundation

@available(macOS 10.0, iOS 2.0, tvOS 9.0, visionOS 1.0, *)
public final class CGImage: @unchecked Sendable {}

@available(macOS 10.0, iOS 2.0, tvOS 9.0, visionOS 1.0, *)
public final class CGColorSpace: @unchecked Sendable {
    /// CGColorSpaceCreateWithName
    public init?(name: String) {}
    /// kCGColorSpaceSRGB
    @available(macOS 10.5, iOS 9.0, tvOS 9.0, visionOS 1.0, *)
    public static let sRGB = "kCGColorSpaceSRGB"
}
