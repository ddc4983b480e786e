// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the CoreMedia declarations that the adapter uses.
//
// Interfaces: CMTime.h and CoreMedia.swiftinterface

public typealias CMTimeScale = Int32

@available(macOS 10.7, iOS 4.0, tvOS 9.0, visionOS 1.0, *)
public struct CMTime: Sendable {
    public init(seconds: Double, preferredTimescale: CMTimeScale) {}
    public var seconds: Double { 0 }
}
