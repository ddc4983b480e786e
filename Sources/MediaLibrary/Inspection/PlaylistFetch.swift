internal import HLS
internal import HTTPTypes
package import MediaCache

/// A fetcher of playlists from their origins. It neither reads nor writes a cache.
package struct PlaylistFetch: Sendable {
    package var origin: any Origin
    package var settings: TransferSettings

    package init(origin: any Origin, settings: TransferSettings) {
        self.origin = origin
        self.settings = settings
    }

    /// Returns the body at `url`, after redirects and without its content coding. Throws `CacheError` of the request,
    /// and ``MediaJobError`` for a body that isn't a playlist, is too long or can't be decoded.
    package func body(of url: ResourceURL) async throws -> PlaylistBody {
        let context = OriginContext(origin: origin, time: SystemTime(), settings: settings, counters: Counters())
        let reader = OriginReader(
            context: context, locator: ResourceLocator(url: url), requested: .from(0, to: nil), known: nil,
            sendsRange: false, acceptsContentCodings: true)
        let result: Result<PlaylistBody, any Error>
        do { result = .success(try await body(from: reader, url)) } catch { result = .failure(error) }
        await reader.close()
        return try result.get()
    }

    private func body(from reader: OriginReader, _ url: ResourceURL) async throws -> PlaylistBody {
        let head = try await reader.open()
        // After a reset of the connection, the remaining bytes must belong to the same representation.
        await reader.expect(KnownRepresentation(validator: head.validator, length: head.completeLength))
        let location = await reader.location ?? url.withoutUserInfo
        let name = location == url.withoutUserInfo ? "\(url)" : "\(url) (redirected to \(location))"
        let coding = ResponseCheck.contentCoding(head.headerFields)
        do {
            var collector = PlaylistCollector(isCoded: coding != nil)
            while let piece = try await reader.next() {
                try piece.withUnsafeBytes { try collector.append($0) }
            }
            let bytes = try Self.decode(collector.bytes, coding: coding, name: name)
            let references = AddressScope(
                ofReferencesAt: location, from: await reader.peer, requestedWith: settings.scope)
            return PlaylistBody(bytes: bytes, name: name, location: location, references: references)
        } catch let error as PlaylistError {
            throw MediaJobError(error, of: name)
        }
    }

    private static func decode(_ bytes: [UInt8], coding: String?, name: String) throws -> [UInt8] {
        do {
            let limit = PlaylistParser.Limits().playlistLength
            return try Inflater.decode(bytes, coding: coding, name: name, limit: limit)
        } catch let error as CacheError {
            throw MediaJobError(.failed, error.message)
        }
    }
}
