#if canImport(AVFoundation)
    import AVFoundation
    import Dispatch
    import Foundation
    import MediaCache
    import Synchronization

    /// The delegate of an asset's loader, which forwards the player's requests to a ``ResourceLoader``.
    final class ResourceLoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, Sendable {
        /// The queue on which AVFoundation calls the delegate. It isn't the main queue, which a waiting player may
        /// block.
        let queue = DispatchQueue(label: "MediaCacheAVFoundation.loading", qos: .userInitiated)
        let loader: ResourceLoader
        private let requests = Mutex<[ObjectIdentifier: LoadingRequestAdapter]>([:])

        init(_ loader: ResourceLoader) {
            self.loader = loader
        }

        deinit { loader.cancelAll() }

        func resourceLoader(
            _ resourceLoader: AVAssetResourceLoader,
            shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
        ) -> Bool {
            let adapter = LoadingRequestAdapter(loadingRequest, on: queue)
            requests.withLock { requests in
                // Ended requests are removed when the next one is added.
                requests = requests.filter { loader.isLoading($0.value) }
                requests[ObjectIdentifier(loadingRequest)] = adapter
            }
            return loader.load(adapter)
        }

        func resourceLoader(
            _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
        ) {
            let adapter = requests.withLock { $0.removeValue(forKey: ObjectIdentifier(loadingRequest)) }
            if let adapter { loader.cancel(adapter) }
        }
    }
#endif
