import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheURLSession

/// A server, a store whose origin uses the same script, and background transfers.
final class BackgroundTransfersFixture {
    struct Unexpected: Error {
        var event: BackgroundTransfers.Event?
    }

    let server: ScriptedOriginServer
    let store: CacheStore
    let folder: String
    let url: ResourceURL
    private(set) var transfers: BackgroundTransfers
    private var events: AsyncStream<BackgroundTransfers.Event>

    init(_ resource: ScriptedResource, at path: String, limit: Int64?) async throws {
        server = try ScriptedOriginServer()
        url = try server.url(path)
        server.origin[url] = resource
        folder = FileManager.default.temporaryDirectory.appending(path: "background-\(UUID())").path
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder + "/store"))
        configuration.limits.minimumFreeBytes = 0
        configuration.limits.maximumBytes = limit
        configuration.transfers.retries.budget = 0
        store = try await CacheStore.open(configuration, origin: server.origin)
        transfers = try BackgroundTransfers(
            identifier: "test", store: store, folder: folder + "/delivered")
        events = transfers.events()
    }

    /// Creates new transfers, as the next launch of the app does.
    func launch() throws {
        transfers.shutdown()
        transfers = try BackgroundTransfers(identifier: "test", store: store, folder: folder + "/delivered")
        events = transfers.events()
    }

    func next() async -> BackgroundTransfers.Event? { await events.first { _ in true } }

    func stored() async throws -> ResourceInfo {
        let event = await next()
        guard case .stored(let info) = event else { throw Unexpected(event: event) }
        return info
    }

    func failure() async throws -> CacheError {
        let event = await next()
        guard case .failed(url, let error) = event else { throw Unexpected(event: event) }
        return error
    }

    func response(
        _ range: Range<Int64>, of body: ScriptedBody = BackgroundTransfersTests.body, entityTag: String? = "\"1\""
    ) throws -> DeliveredResponse {
        let file = folder + "/part-\(range.lowerBound)"
        try Data(body.bytes(in: range)).write(to: URL(filePath: file))
        let content = ContentRange(range: range, completeLength: body.length)
        var fields: HTTPFields = [.contentType: "video/mp4", .contentRange: try #require(content.fieldValue)]
        fields[.eTag] = entityTag
        return DeliveredResponse(url: url, requested: range, status: 206, headerFields: fields, file: file)
    }

    /// Stores a range of the body without a request to the origin.
    func keep(_ range: Range<Int64>, entityTag: String? = "\"1\"") async throws {
        try await store.ingest(try response(range, entityTag: entityTag))
    }

    /// Adds a received file with a range of the body to the delivery folder, and returns the URL of its record.
    /// `location` is the final URL after redirects.
    @discardableResult
    func deliver(_ range: Range<Int64>, location: String? = nil, received: Date = Date()) throws -> URL {
        let response = try response(range)
        let deliveries = try DeliveryFolder(folder + "/delivered")
        let known = try deliveries.names()
        try deliveries.add(
            URL(filePath: response.file),
            DeliveryFolder.Record(
                request: BackgroundRequest(url, range, .file, isPublic: true), status: response.status,
                headerFields: response.headerFields, location: location, received: received))
        let name = try #require(try deliveries.names().first { !known.contains($0) })
        return URL(filePath: folder + "/delivered/\(name).json")
    }

    func read(_ range: RequestedRange = .all) async throws -> [UInt8] {
        let session = try await store.read(ReadRequest(url: url, range: range, revalidation: .never))
        defer { session.cancel() }
        var bytes: [UInt8] = []
        for try await buffer in session.buffers { bytes += buffer }
        return bytes
    }

    var delivered: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder + "/delivered") }
    }

    func close() async {
        transfers.shutdown()
        await store.close()
        server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
