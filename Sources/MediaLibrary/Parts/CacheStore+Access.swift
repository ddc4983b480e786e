package import MediaCache

/// The access rule for cached bytes.
///
/// The store may contain bytes from a local address that the user played, and a public document may refer to them. Such
/// a document may only read them if it could also request them from the origin.
extension CacheStore {
    /// Reads bytes that the access rule permits. If they were cached from a local address, and the request is limited
    /// to public addresses, the origin is requested first. The rule is checked again after the read, because another
    /// reader may have cached such bytes in the meantime. If so, the read is repeated.
    ///
    /// - Parameters:
    ///   - part: The part of an asset that is read; nil for any other resource. A part that the asset's download
    ///     fetched has passed the rule.
    ///   - discard: Called with a result that isn't returned, because the read is repeated or turned out to be
    ///     forbidden.
    ///   - read: Reads with the request that it receives. May be called twice.
    /// - Throws: `CacheError` with `forbiddenAddress` if the rule forbids the read, and errors of `read`.
    package func withAccessCheck<Result>(
        _ request: ReadRequest, to part: (part: AssetPart, asset: Asset)? = nil,
        discarding discard: (Result) -> Void = { _ in }, read: (ReadRequest) async throws -> Result
    ) async throws -> Result {
        var request = request
        try await checkAccess(&request, to: part)
        let result = try await read(request)
        guard !request.revalidation.isSince else { return result }
        do {
            try await checkAccess(&request, to: part)
        } catch {
            discard(result)
            throw error
        }
        guard request.revalidation.isSince else { return result }
        discard(result)
        return try await read(request)
    }

    /// Changes a request so that it contacts the origin before cached bytes are read, if the access rule requires it.
    private func checkAccess(_ request: inout ReadRequest, to part: (part: AssetPart, asset: Asset)?) async throws {
        if let (part, asset) = part {
            // A recording applied the rule when it fetched the part.
            guard part.storedAs == nil, let download = asset.download else { return }
            switch download.state {
            case .complete: return
            case .completeWithHoles:
                // Only the first holes are listed.
                guard
                    download.holeCount > download.holes.count || download.holes.contains(where: { $0.url == part.url }),
                    try await needsAccessCheck(request)
                else { return }
                throw CacheError.forbidden(request.url)
            case .queued, .running, .paused, .waiting, .failed: break
            }
        }
        guard try await needsAccessCheck(request) else { return }
        request.revalidation = try revalidationForAccess(to: request.url, request.settings)
    }

    /// Returns whether the access rule must be checked before cached bytes are read. That's the case if they're from a
    /// local address, and the request may only be sent to public addresses. If `settings` is nil, the store's apply.
    package func needsAccessCheck(_ kind: AddressKind, _ settings: TransferSettings?) -> Bool {
        kind == .local && (settings ?? transfers).scope == .publicOnly
    }

    /// Returns a revalidation that contacts the origin, so that the access rule is applied to cached bytes. Throws
    /// `CacheError` with `forbiddenAddress` if the request may not contact its origin.
    package func revalidationForAccess(
        to url: ResourceURL, _ settings: TransferSettings?
    ) throws(CacheError) -> Revalidation {
        guard (settings ?? transfers).allowsOriginRequests else { throw .forbidden(url) }
        return .since(monotonicTime)
    }

    private func needsAccessCheck(_ request: ReadRequest) async throws -> Bool {
        guard (request.settings ?? transfers).scope == .publicOnly else { return false }
        return try await coverage(of: [request]).contains { coverage in
            coverage.map { needsAccessCheck($0.addressKind, request.settings) } ?? false
        }
    }
}

extension CacheError {
    fileprivate static func forbidden(_ url: ResourceURL) -> CacheError {
        CacheError(
            .forbiddenAddress, "\(url) was cached from a local address, which this request isn't allowed to read")
    }
}
