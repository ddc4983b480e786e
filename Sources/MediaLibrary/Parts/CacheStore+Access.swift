package import MediaCache

/// The access rule for cached bytes. The store may hold bytes of a local address that the user played, and a public
/// document may name them: the rule has to allow the read, as it would allow the request to the origin.
extension CacheStore {
    /// Makes a read of cached bytes that needs a decision of the access rule ask the origin first.
    ///
    /// - Throws: `CacheError` with `forbiddenAddress` if the request may not ask its origin.
    package func checkAccess(_ request: inout ReadRequest) async throws {
        guard try await needsAccessCheck(request) else { return }
        guard request.settings?.asksOrigins == true else {
            throw CacheError.forbidden(request.url)
        }
        request.revalidation = .since(monotonicTime)
    }

    /// Checks a read of a part of an asset like ``checkAccess(_:)``. A part that the asset's download fetched has passed
    /// the access rule.
    ///
    /// - Throws: `CacheError` with `forbiddenAddress`.
    package func checkAccess(_ request: inout ReadRequest, to part: AssetPart, of asset: Asset) async throws {
        // A recording fetched its parts under the rule.
        guard part.keptAs == nil, let download = asset.download else { return }
        switch download.state {
        case .complete: return
        case .completeWithHoles:
            // Not all holes are listed.
            guard download.holeCount > download.holes.count || download.holes.contains(where: { $0.url == part.url }),
                try await needsAccessCheck(request)
            else { return }
            throw CacheError.forbidden(request.url)
        case .queued, .running, .paused, .waiting, .failed: try await checkAccess(&request)
        }
    }

    private func needsAccessCheck(_ request: ReadRequest) async throws -> Bool {
        guard request.settings?.scope == .publicOnly else { return false }
        return request.needsAccessCheck(for: try await holdings(of: [request]).first ?? nil)
    }
}

extension CacheError {
    fileprivate static func forbidden(_ url: ResourceURL) -> CacheError {
        CacheError(.forbiddenAddress, "\(url) came from a local address, and a public document names it")
    }
}
