// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of CoreMedia that the adapter uses. Nothing here does anything.
//
// Interface: developer.apple.com/documentation/coremedia/cmtime

public typealias CMTimeScale = Int32

public struct CMTime: Sendable {
    public init(seconds: Double, preferredTimescale: CMTimeScale) {}
}
