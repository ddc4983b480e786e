// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the AVFoundation declarations that the adapter and the example use. The optional methods of the delegate's
// protocol are required here, so that a misspelled name doesn't compile.
//
// Interfaces: the headers of AVFoundation and AVFoundation.swiftinterface of the iOS 18 SDK. "Overlay" is the latter.

@_exported import CoreGraphics
@_exported import CoreMedia
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

// MARK: AVAsset.h

/// AVAsset isn't Sendable, because its mutable subclasses aren't.
@available(macOS 10.7, iOS 4.0, tvOS 9.0, visionOS 1.0, *)
open class AVAsset: NSObject, NSCopying {
    /// NSCopying
    open func copy(with zone: NSZone? = nil) -> Any { fatalError() }
}

@available(macOS 10.7, iOS 4.0, tvOS 9.0, visionOS 1.0, *)
open class AVURLAsset: AVAsset, @unchecked Sendable {
    open private(set) var url: URL
    /// AVAsset.h: macOS 10.9, iOS 6, tvOS 9, visionOS 1
    open private(set) var resourceLoader = AVAssetResourceLoader()

    public init(url URL: URL, options: [String: Any]? = nil) { url = URL }
}

// MARK: AVAssetResourceLoader.h

/// Sendable by the overlay: macOS 15, iOS 18, tvOS 18, visionOS 2
@available(macOS 10.9, iOS 6.0, tvOS 9.0, visionOS 1.0, *)
open class AVAssetResourceLoader: NSObject, @unchecked Sendable {
    open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue delegateQueue: DispatchQueue?) {}
}

public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    @available(macOS 10.9, iOS 6.0, tvOS 9.0, visionOS 1.0, *)
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool

    @available(macOS 10.9, iOS 7.0, tvOS 9.0, visionOS 1.0, *)
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}

/// Sendable by the overlay: macOS 15, iOS 18, tvOS 18, visionOS 2
@available(macOS 10.9, iOS 6.0, tvOS 9.0, visionOS 1.0, *)
open class AVAssetResourceLoadingRequest: NSObject, @unchecked Sendable {
    open var request: URLRequest { fatalError() }
    open var isFinished: Bool { fatalError() }
    open var isCancelled: Bool { fatalError() }
    open var contentInformationRequest: AVAssetResourceLoadingContentInformationRequest? { nil }
    open var dataRequest: AVAssetResourceLoadingDataRequest? { nil }
    /// Raises an exception if `allowedContentTypes` isn't empty and doesn't contain `contentType`.
    open func finishLoading() {}
    open func finishLoading(with error: (any Error)?) {}
}

/// Sendable by the overlay: macOS 15, iOS 18, tvOS 18, visionOS 2
@available(macOS 10.9, iOS 7.0, tvOS 9.0, visionOS 1.0, *)
open class AVAssetResourceLoadingContentInformationRequest: NSObject, @unchecked Sendable {
    open var contentType: String?
    @available(macOS 10.13.2, iOS 11.2, tvOS 11.2, visionOS 1.0, *)
    open var allowedContentTypes: [String]? { nil }
    open var contentLength: Int64 = 0
    open var isByteRangeAccessSupported = false
    @available(macOS 13.0, iOS 16.0, tvOS 16.0, visionOS 1.0, *)
    open var isEntireLengthAvailableOnDemand = false
}

/// Sendable by the overlay: macOS 15, iOS 18, tvOS 18, visionOS 2
@available(macOS 10.9, iOS 7.0, tvOS 9.0, visionOS 1.0, *)
open class AVAssetResourceLoadingDataRequest: NSObject, @unchecked Sendable {
    open var requestedOffset: Int64 { 0 }
    open var requestedLength: Int { 0 }
    @available(macOS 10.11, iOS 9.0, tvOS 9.0, visionOS 1.0, *)
    open var requestsAllDataToEndOfResource: Bool { false }
    open var currentOffset: Int64 { 0 }
    open func respond(with data: Data) {}
}

// MARK: AVPlayerItem.h

/// NS_SWIFT_UI_ACTOR. A member with NS_SWIFT_NONISOLATED is nonisolated.
@available(macOS 10.7, iOS 4.0, tvOS 9.0, visionOS 1.0, *)
@MainActor open class AVPlayerItem: NSObject {
    public enum Status: Int, Sendable {
        case unknown
        case readyToPlay
        case failed
    }

    public nonisolated init(url URL: URL) {}
    public init(asset: AVAsset) {}
    /// Overlay
    public nonisolated convenience init(asset: any AVAsset & Sendable) { self.init(url: URL(filePath: "/")) }
    open var asset: AVAsset { fatalError() }
    open nonisolated var status: Status { fatalError() }
    open nonisolated var error: (any Error)? { nil }
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, visionOS 1.0, *)
    open nonisolated var preferredForwardBufferDuration: TimeInterval {
        get { 0 }
        set {}
    }
    open nonisolated var isPlaybackLikelyToKeepUp: Bool { false }
    open nonisolated var isPlaybackBufferFull: Bool { false }
    @available(macOS 10.9, iOS 6.0, tvOS 9.0, visionOS 1.0, *)
    open class var playbackStalledNotification: Notification.Name { fatalError() }
}

// MARK: AVPlayer.h

/// NS_SWIFT_UI_ACTOR. A member with NS_SWIFT_NONISOLATED is nonisolated.
@available(macOS 10.7, iOS 4.0, tvOS 9.0, visionOS 1.0, *)
@MainActor open class AVPlayer: NSObject {
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, visionOS 1.0, *)
    public enum TimeControlStatus: Int, Sendable {
        case paused
        case waitingToPlayAtSpecifiedRate
        case playing
    }

    public nonisolated init(playerItem item: AVPlayerItem?) {}
    open nonisolated var currentItem: AVPlayerItem? { nil }
    open nonisolated func replaceCurrentItem(with item: AVPlayerItem?) {}
    open nonisolated func play() {}
    open nonisolated func pause() {}
    open nonisolated func currentTime() -> CMTime { fatalError() }
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, visionOS 1.0, *)
    open nonisolated var timeControlStatus: TimeControlStatus { fatalError() }
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, visionOS 1.0, *)
    open nonisolated var automaticallyWaitsToMinimizeStalling: Bool {
        get { true }
        set {}
    }
    #if !STUB_visionOS
        @available(macOS 10.11, iOS 6.0, tvOS 9.0, *)
        @available(visionOS, unavailable)
        @available(watchOS, unavailable)
        open nonisolated var allowsExternalPlayback: Bool {
            get { true }
            set {}
        }
    #endif
}

extension AVPlayer {
    /// AVPlayer.h, seekToTime:completionHandler:
    @available(macOS 10.7, iOS 5.0, tvOS 9.0, visionOS 1.0, *)
    @discardableResult
    public nonisolated func seek(to time: CMTime) async -> Bool { false }
}

// MARK: AVAssetImageGenerator.h

@available(macOS 10.7, iOS 4.0, tvOS 9.0, visionOS 1.0, *)
open class AVAssetImageGenerator: NSObject {
    public init(asset: AVAsset) {}
    open var appliesPreferredTrackTransform = false
    open var maximumSize: CGSize = .zero
    /// Overlay
    @available(macOS 13, iOS 16, tvOS 16, visionOS 1, *)
    open func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) { fatalError() }
}

// MARK: AVAudioSession.h of AVFAudio, which AVFoundation exports

#if !STUB_macOS
    @available(iOS 3.0, tvOS 9.0, visionOS 1.0, *)
    @available(macOS, unavailable)
    open class AVAudioSession: NSObject {
        public struct Category: RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        }

        public struct Mode: RawRepresentable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        }

        public struct CategoryOptions: OptionSet, Sendable {
            public let rawValue: UInt
            public init(rawValue: UInt) { self.rawValue = rawValue }
        }

        open class func sharedInstance() -> AVAudioSession { fatalError() }
        @available(iOS 10.0, tvOS 10.0, visionOS 1.0, *)
        open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {}
    }
#endif
