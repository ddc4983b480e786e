// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the AVKit declarations that the example uses.
//
// Interface: _AVKit_SwiftUI.swiftinterface, which AVKit and SwiftUI together import

public import AVFoundation
public import SwiftUI

@available(macOS 11.0, iOS 14.0, tvOS 14.0, visionOS 1.0, *)
@MainActor @preconcurrency public struct VideoPlayer<VideoOverlay: View>: View {
    public var body: Never { fatalError() }
}

extension VideoPlayer where VideoOverlay == EmptyView {
    public init(player: AVPlayer?) {}
}
