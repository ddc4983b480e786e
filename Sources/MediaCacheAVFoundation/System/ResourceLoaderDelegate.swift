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
    /// All calls to a request of AVFoundation are made on the queue of the loader's delegate, in order.
    final class LoadingRequestAdapter: ResourceLoadingRequest {
        let url: String
        let wantsContentInformation: Bool
        let allowedContentTypes: [String]
        let data: RequestedData?
        private let request: AVAssetResourceLoadingRequest
        private let queue: DispatchQueue

        init(_ request: AVAssetResourceLoadingRequest, on queue: DispatchQueue) {
            self.request = request
            self.queue = queue
            url = request.request.url?.absoluteString ?? ""
            wantsContentInformation = request.contentInformationRequest != nil
            allowedContentTypes = request.contentInformationRequest?.allowedContentTypes ?? []
            data = request.dataRequest.map { data in
                RequestedData(
                    offset: data.currentOffset,
                    // The order of the subtractions prevents an overflow: the length of a request to the end may be
                    // Int.max.
                    length: Int64(data.requestedLength) - (data.currentOffset - data.requestedOffset),
                    isToEnd: data.requestsAllDataToEndOfResource)
            }
        }

        func typeIdentifiers(for name: TypeName) -> [String] {
            let (tag, tagClass) =
                switch name {
                case .mediaType(let type): (type, UTTagClass.mimeType)
                case .pathExtension(let text): (text, UTTagClass.filenameExtension)
                }
            let preferred = UTType(tag: tag, tagClass: tagClass, conformingTo: .data).map { [$0] } ?? []
            // A dynamic type is one that the system doesn't know.
            return (preferred + UTType.types(tag: tag, tagClass: tagClass, conformingTo: .data))
                .filter { !$0.isDynamic }.map(\.identifier)
        }

        func provide(_ information: ContentInformation) {
            perform { request in
                guard let content = request.contentInformationRequest else { return }
                content.contentType = information.typeIdentifier
                content.contentLength = information.length
                content.isByteRangeAccessSupported = true
                content.isEntireLengthAvailableOnDemand = information.isComplete
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
