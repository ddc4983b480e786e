// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the CoreMedia declarations that the adapter uses.
//
// Interface: developer.apple.com/documentation/coremedia/cmtime

public typealias CMTimeScale = Int32

public struct CMTime: Sendable {
    public init(seconds: Double, preferredTimescale: CMTimeScale) {}
}
