import HLS
import HTTPTypes
import MediaCache
import MediaLibrary

/// Reads a playlist from its origin, past every cache: nothing is looked up, nothing is kept.
struct PlaylistFetch: Sendable {
    /// Who is asked.
    var origin: any Origin
    /// How: limits, retries, header profiles, cookies.
    var settings: TransferSettings

    /// The body at `url`, redirects followed, content coding taken off.
    ///
    /// - Throws: `CacheError` of the exchange; ``CommandFailure`` where what comes is no playlist.
    func body(of url: ResourceURL) async throws -> InspectedBody {
        let context = OriginContext(origin: origin, time: SystemTime(), settings: settings, counters: Counters())
        let reader = OriginReader(
            context: context, locator: ResourceLocator(url: url), asked: .from(0, to: nil), known: nil,
            sendsRange: false, takesCodings: true)
        do {
            let body = try await body(from: reader, url)
            await reader.close()
            return body
        } catch {
            await reader.close()
            throw error
        }
    }

    private func body(from reader: OriginReader, _ url: ResourceURL) async throws -> InspectedBody {
        let head = try await reader.open()
        // After a break the rest has to be of the same version.
        await reader.expect(KnownRepresentation(validator: head.validator, length: head.completeLength))
        let location = await reader.location ?? url.withoutUserInfo
        let name = location == url.withoutUserInfo ? "\(url)" : "\(url) (redirected to \(location))"
        let coding = ResponseCheck.contentCoding(head.headerFields)
        do {
            var collector = BodyCollector(isCoded: coding != nil)
            while let piece = try await reader.next() {
                try piece.withUnsafeBytes { try collector.append($0) }
            }
            let bytes = try Self.decode(collector.bytes, coding: coding, name: name)
            let references = AddressScope(
                ofReferencesAt: location, from: await reader.peer, requestedWith: settings.scope)
            return InspectedBody(bytes: bytes, name: name, location: location, references: references)
        } catch let error as PlaylistError {
            throw CommandFailure(error, of: name)
        }
    }

    private static func decode(_ bytes: [UInt8], coding: String?, name: String) throws -> [UInt8] {
        do {
            let limit = PlaylistParser.Limits().playlistLength
            return try Inflater.decode(bytes, coding: coding, name: name, limit: limit)
        } catch let error as CacheError {
            throw CommandFailure(.failed, error.message)
        }
    }
}
