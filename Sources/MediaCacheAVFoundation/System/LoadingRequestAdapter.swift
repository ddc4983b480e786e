#if canImport(AVFoundation)
    import AVFoundation
    import Dispatch
    import Foundation
    import MediaCache
    import UniformTypeIdentifiers

    /// A player's request as the loader knows it.
    ///
    /// What the player is told goes to the queue on which it asks, in order: its requests aren't made for several threads.
    final class LoadingRequestAdapter: ResourceLoadingRequest, @unchecked Sendable {
        let url: String
        let wantsContentInformation: Bool
        let data: RequestedData?
        private let request: AVAssetResourceLoadingRequest
        private let queue: DispatchQueue

        /// - Parameter queue: the one on which the player asks.
        init(_ request: AVAssetResourceLoadingRequest, on queue: DispatchQueue) {
            self.request = request
            self.queue = queue
            url = request.request.url?.absoluteString ?? ""
            wantsContentInformation = request.contentInformationRequest != nil
            data = request.dataRequest.map { data in
                RequestedData(
                    offset: data.currentOffset,
                    // In this order: the length of what is asked for to the end may be the greatest number.
                    length: Int64(data.requestedLength) - (data.currentOffset - data.requestedOffset),
                    isToEnd: data.requestsAllDataToEndOfResource)
            }
        }

        func provide(_ information: ContentInformation) {
            // A type that the system doesn't know is left to it to find out.
            let known = UTType(mimeType: information.mediaType, conformingTo: .data)
            let type = known?.isDynamic == false ? known?.identifier : nil
            tell { request in
                guard let told = request.contentInformationRequest else { return }
                told.contentType = type
                told.isByteRangeAccessSupported = information.isByteRangeAccessSupported
                if let length = information.length { told.contentLength = length }
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

        func finish() { tell { $0.finishLoading() } }

        func finish(with error: CacheError) { tell { $0.finishLoading(with: error) } }

        private func tell(_ what: @escaping @Sendable (AVAssetResourceLoadingRequest) -> Void) {
            queue.async { [self] in
                if isWaiting { what(request) }
            }
        }

        /// Whether the player still wants an answer. Asked on the queue alone.
        private var isWaiting: Bool { !request.isCancelled && !request.isFinished }
    }
#endif
