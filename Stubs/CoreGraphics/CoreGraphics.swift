// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of CoreGraphics that the adapter uses, but for CGSize, which Foundation has on Linux. Nothing here does
// anything.
//
// Interface: developer.apple.com/documentation/coregraphics/{cgimage, cgcolorspace}

@_exported import Foundation

public final class CGImage: @unchecked Sendable {}
public final class CGColorSpace: @unchecked Sendable {}
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }
