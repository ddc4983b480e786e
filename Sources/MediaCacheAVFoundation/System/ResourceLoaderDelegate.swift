#if canImport(AVFoundation)
    import AVFoundation
    import Dispatch
    import Foundation
    import MediaCache
    import Synchronization
    import UniformTypeIdentifiers

    /// The delegate of an asset's resource loader. It forwards the player's requests to a ``ResourceLoader``.
    final class ResourceLoaderDelegate: NSObject, AVAssetResourceLoaderDelegate, Sendable {
        /// The queue on which AVFoundation calls the delegate. It must not be the main queue, which a waiting player
        /// may block.
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

    /// An adapter from AVFoundation's requests to ``ResourceLoadingRequest``.
    ///
    /// `Sendable` is unchecked, because AVFoundation's requests aren't thread-safe. All calls to them are made on the
    /// queue of the loader's delegate.
    final class LoadingRequestAdapter: ResourceLoadingRequest, @unchecked Sendable {
        let url: String
        let wantsContentInformation: Bool
        let data: RequestedData?
        private let request: AVAssetResourceLoadingRequest
        private let queue: DispatchQueue

        init(_ request: AVAssetResourceLoadingRequest, on queue: DispatchQueue) {
            self.request = request
            self.queue = queue
            url = request.request.url?.absoluteString ?? ""
            wantsContentInformation = request.contentInformationRequest != nil
            data = request.dataRequest.map { data in
                RequestedData(
                    offset: data.currentOffset,
                    // The order of the subtractions prevents an overflow: the length of a request to the end may be
                    // Int.max.
                    length: Int64(data.requestedLength) - (data.currentOffset - data.requestedOffset),
                    isToEnd: data.requestsAllDataToEndOfResource)
            }
        }

        func provide(_ information: ContentInformation) {
            // A type that the system doesn't know is omitted. The system then detects the type from the bytes.
            let known = UTType(mimeType: information.mediaType, conformingTo: .data)
            let type = known?.isDynamic == false ? known?.identifier : nil
            perform { request in
                guard let content = request.contentInformationRequest else { return }
                content.contentType = type
                content.isByteRangeAccessSupported = information.isByteRangeAccessSupported
                if let length = information.length { content.contentLength = length }
            }
        }

        func respond(with bytes: [UInt8]) async {
            let data = Data(bytes)
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    if isWaiting { request.dataRequest?.respond(with: data) }
                    continuation.resume()
                }
            }
        }

        func finish() { perform { $0.finishLoading() } }

        func finish(with error: CacheError) { perform { $0.finishLoading(with: error) } }

        /// Calls a method of the request on the queue, unless the request has ended.
        private func perform(_ call: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void) {
            queue.async { [self] in
                if isWaiting { call(request) }
            }
        }

        /// Whether the player is still waiting for the request. Accessed on the queue only.
        private var isWaiting: Bool { !request.isCancelled && !request.isFinished }
    }
#endif
