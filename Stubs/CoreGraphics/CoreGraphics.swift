// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the CoreGraphics declarations that the adapter uses, except CGSize, which Foundation declares on Linux.
//
// Interface: developer.apple.com/documentation/coregraphics/{cgimage, cgcolorspace}

@_exported import Foundation

public final class CGImage: @unchecked Sendable {}
public final class CGColorSpace: @unchecked Sendable {}
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }
