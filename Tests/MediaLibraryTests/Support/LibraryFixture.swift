import Foundation
import Logging
import MediaCache
import MediaCacheTesting

/// A store in a temporary folder, and its scripted origin.
final class LibraryFixture: Sendable {
    let folder: String
    let origin: ScriptedOrigin
    let time = ManualTime()
    let files: any BlobFileSystem
    let keyPolicy: CacheKeyPolicy

    init(files: any BlobFileSystem = POSIXFileSystem(), keyPolicy: CacheKeyPolicy = .wholeURL) {
        self.files = files
        self.keyPolicy = keyPolicy
        folder = FileManager.default.temporaryDirectory.path + "/mediacache-tests-" + UUID().uuidString
        origin = ScriptedOrigin(time: time)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Opens the store. Each call opens the same folder.
    func open() async throws -> CacheStore {
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder))
        configuration.limits.minimumFreeBytes = 0
        configuration.transfers.retries = RetryPolicy(budget: 0)
        configuration.keyPolicy = keyPolicy
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return try await CacheStore.open(configuration, origin: origin, time: time, files: files, logger: logger)
    }

    /// Serves a playlist from the origin.
    func serve(_ text: String, at url: ResourceURL, entityTag: String? = "\"1\"") {
        origin[url] = ScriptedResource(.text(text), entityTag: entityTag, contentType: "application/vnd.apple.mpegurl")
    }
}

/// Sample playlists. Each segment lasts 6 s.
enum SamplePlaylist {
    static let onDemand = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXTINF:6,
        a.ts
        #EXTINF:6,
        b.ts
        #EXTINF:6,
        c.ts
        #EXT-X-ENDLIST

        """

    static func live(from number: Int, _ names: String...) -> String { live(from: number, names) }

    static func live(from number: Int, _ names: [String]) -> String {
        let segments = names.map { "#EXTINF:6,\n\($0)\n" }.joined()
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(number)\n\(segments)"
    }

    static let multivariant = """
        #EXTM3U
        #EXT-X-STREAM-INF:BANDWIDTH=1000
        low/index.m3u8

        """
}
