#if canImport(AVFoundation)
    import AVFoundation
    import Dispatch
    import Foundation
    import MediaCache
    import Synchronization

    /// Takes what a player asks of its asset's loader to a ``ResourceLoader``.
    final class ResourceLoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, Sendable {
        /// Where the player asks. Not the main one: a player that waits for an answer may hold that up.
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
                // Those that are over are let go when another comes.
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
