import Foundation
import MediaCache
import MediaCacheTesting
import MediaLibrary

@testable import MediaCacheServer

extension ScriptedResource {
    static func playlist(_ text: String) -> ScriptedResource {
        ScriptedResource(.text(text), contentType: "application/vnd.apple.mpegurl")
    }
}

/// The set-up of test suites that read a stream source with a scripted origin.
protocol StreamSourceSuite {
    var origin: ScriptedOrigin { get }
    /// The store's clock. Each read advances it by a millisecond.
    var time: ManualTime { get }
    var playlist: ResourceURL { get }
}

extension StreamSourceSuite {
    func withSource(
        ahead: Int = 0, admission: AdmissionPolicy = .keepAll, _ body: (StreamSource, CacheStore) async throws -> Void
    ) async throws {
        let folder = TestFolder()
        defer { withExtendedLifetime(folder) {} }
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder.path))
        configuration.limits.minimumFreeBytes = 0
        configuration.transfers.retries = RetryPolicy(budget: 0)
        configuration.admission = admission
        let store = try await CacheStore.open(configuration, origin: origin, time: time, logger: .silent)
        do {
            try await body(
                StreamSource(
                    store: store, profiles: HeaderProfileStore(base: store.transfers),
                    loader: PlaylistLoader(store: store), publicPath: "", segmentsAhead: ahead,
                    signature: { _ in "" }), store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    func read(
        _ source: StreamSource, _ url: ResourceURL, _ range: RequestedRange = .all
    ) async throws -> [UInt8] {
        try await read(source, path: PlayTarget.path(for: url, token: "K"), range)
    }

    func read(_ source: StreamSource, path: String, _ range: RequestedRange = .all) async throws -> [UInt8] {
        time.advance(by: .milliseconds(1))
        let target = try PlayTarget(path)
        let request = ReadRequest(url: target.url, range: range)
        if let reader = try source.readerIfOpen(request, for: target) { return try await bytes(of: reader) }
        return try await bytes(of: try await source.reader(request, for: target))
    }

    func text(_ source: StreamSource, _ url: ResourceURL) async throws -> String {
        String(decoding: try await read(source, url), as: UTF8.self)
    }

    func bytes(of reader: any ByteReader, maximum: Int = 7) async throws -> [UInt8] {
        defer { reader.cancel() }
        var bytes: [UInt8] = []
        if let session = reader as? ReadSession {
            for try await buffer in session.buffers { bytes += buffer }
            return bytes
        }
        let (ready, continuation) = AsyncStream<Void>.makeStream()
        var signals = ready.makeAsyncIterator()
        while true {
            switch reader.poll(maximum: maximum, onReady: { continuation.yield() }) {
            case .bytes(let source, let offset, let count):
                var piece = [UInt8](repeating: 0, count: count)
                try piece.withUnsafeMutableBytes { try source.read(into: $0, at: offset) }
                bytes += piece
                reader.consume(count)
            case .wait: _ = await signals.next()
            case .end: return bytes
            case .failed(let error): throw error
            }
        }
    }

    func segment(_ name: String) throws -> ResourceURL { try ResourceURL("http://origin.example/s/\(name)") }

    static func live(from number: Int, _ names: String...) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(number)\n"
            + names.map { "#EXTINF:6,\n\($0)\n" }.joined()
    }

    /// An ended playlist of four segments.
    static var onDemand: String { live(from: 0, "a.ts", "b.ts", "c.ts", "d.ts") + "#EXT-X-ENDLIST\n" }

    func serve(_ text: String, entityTag: String = "\"1\"") {
        origin[playlist] = ScriptedResource(.text(text), entityTag: entityTag, contentType: "text/plain")
    }

    /// Returns 3 MiB of random bytes, which don't begin like a playlist.
    func media(_ seed: UInt64) -> ScriptedBody { .random(seed: seed, length: 3 << 20) }
}
