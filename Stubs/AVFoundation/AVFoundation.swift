// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Stubs of the AVFoundation declarations that the adapter uses, for type-checking on other systems. The optional
// methods of the delegate's protocol are required here, so that a misspelled name doesn't compile.
//
// Interfaces: developer.apple.com/documentation/avfoundation/{avurlasset, avassetresourceloader,
// avassetresourceloaderdelegate, avassetresourceloadingrequest, avassetresourceloadingcontentinformationrequest,
// avassetresourceloadingdatarequest, avplayeritem, avplayer, avassetimagegenerator}

@_exported import CoreGraphics
@_exported import CoreMedia
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

open class AVAsset: NSObject, @unchecked Sendable {}

open class AVURLAsset: AVAsset, @unchecked Sendable {
    open private(set) var url: URL
    open private(set) var resourceLoader = AVAssetResourceLoader()

    public init(url URL: URL, options: [String: Any]? = nil) { url = URL }
}

open class AVAssetResourceLoader: NSObject, @unchecked Sendable {
    open func setDelegate(_ delegate: (any AVAssetResourceLoaderDelegate)?, queue delegateQueue: DispatchQueue?) {}
}

public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader,
        shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool

    func resourceLoader(
        _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}

open class AVAssetResourceLoadingRequest: NSObject {
    open var request: URLRequest { fatalError() }
    open var isFinished: Bool { fatalError() }
    open var isCancelled: Bool { fatalError() }
    open var contentInformationRequest: AVAssetResourceLoadingContentInformationRequest? { nil }
    open var dataRequest: AVAssetResourceLoadingDataRequest? { nil }
    open func finishLoading() {}
    open func finishLoading(with error: (any Error)?) {}
}

open class AVAssetResourceLoadingContentInformationRequest: NSObject {
    open var contentType: String?
    open var contentLength: Int64 = 0
    open var isByteRangeAccessSupported = false
}

open class AVAssetResourceLoadingDataRequest: NSObject {
    open var requestedOffset: Int64 { 0 }
    open var requestedLength: Int { 0 }
    open var requestsAllDataToEndOfResource: Bool { false }
    open var currentOffset: Int64 { 0 }
    open func respond(with data: Data) {}
}

@MainActor open class AVPlayerItem: NSObject {
    public convenience init(url URL: URL) { self.init(asset: AVURLAsset(url: URL), automaticallyLoadedAssetKeys: nil) }
    public convenience init(asset: AVAsset) { self.init(asset: asset, automaticallyLoadedAssetKeys: nil) }
    public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {}
    open var preferredForwardBufferDuration: TimeInterval = 0
    open var asset: AVAsset { fatalError() }
}

@MainActor open class AVPlayer: NSObject {
    public init(playerItem item: AVPlayerItem?) {}
    open func replaceCurrentItem(with item: AVPlayerItem?) {}
    open func play() {}
    open func pause() {}
    open var automaticallyWaitsToMinimizeStalling = true
    open var allowsExternalPlayback = true
}

open class AVAssetImageGenerator: NSObject {
    public init(asset: AVAsset) {}
    open var appliesPreferredTrackTransform = false
    open var maximumSize: CGSize = .zero
    open func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) { fatalError() }
}
