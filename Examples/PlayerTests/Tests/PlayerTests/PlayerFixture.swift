import AVFoundation
import Foundation
import MediaCache
import MediaCacheTesting
import MediaCacheURLSession

/// A store in a temporary folder with an origin on loopback.
final class PlayerFixture: Sendable {
    /// The clip of the package: an MP4 file with its index at the end.
    static let clip = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/CMediaCacheDemo/demo-clip.mp4")

    let server: ScriptedOriginServer
    let store: CacheStore
    private let folder: URL

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "player-tests-\(UUID().uuidString)")
        server = try ScriptedOriginServer()
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder.path))
        configuration.transfers.scope = .any
        store = try await CacheStore.open(configuration, origin: URLSessionOrigin())
    }

    /// Serves the clip. `name` needs no extension.
    func serveClip(
        at name: String, _ change: (inout ScriptedResource) -> Void = { _ in }
    ) throws -> (url: ResourceURL, length: Int64) {
        let bytes = [UInt8](try Data(contentsOf: Self.clip))
        var resource = ScriptedResource(.bytes(bytes))
        change(&resource)
        let url = try server.url("/\(name)")
        server.origin[url] = resource
        return (url, Int64(bytes.count))
    }

    /// Serves a stream of silent packed audio (RFC 8216 §3.4), three segments of about six seconds.
    func serveStream() throws -> ResourceURL {
        let frames = 258
        var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        for number in 0..<3 {
            let start = UInt64(number * frames * 1024) * 90_000 / 44_100
            let body = Self.timestamp(start) + Array(repeating: Self.silence, count: frames).flatMap { $0 }
            server.origin[try server.url("/audio\(number).aac")] = ScriptedResource(
                .bytes(body), contentType: "audio/aac")
            text += "#EXTINF:\(Double(frames * 1024) / 44_100),\naudio\(number).aac\n"
        }
        let url = try server.url("/stream.m3u8")
        server.origin[url] = ScriptedResource(
            .text(text + "#EXT-X-ENDLIST\n"), contentType: "application/vnd.apple.mpegurl")
        return url
    }

    func close() async {
        await store.close()
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// An ADTS frame of silence: AAC-LC, 44.1 kHz, stereo, 1024 samples.
    private static let silence: [UInt8] = [
        0xFF, 0xF1, 0x50, 0x80, 0x01, 0xBF, 0xFC, 0x21, 0x10, 0x04, 0x60, 0x8C, 0x1C,
    ]

    /// An ID3 tag with a timestamp in units of 1/90000 s.
    private static func timestamp(_ time: UInt64) -> [UInt8] {
        let content =
            Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
            + (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }
}

/// Waits until a condition is true, for at most 20 seconds. Returns whether it is.
@MainActor func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(100))
    }
    return condition()
}

/// Plays an item without sound for at least a second. Returns whether it played.
@MainActor func plays(_ item: AVPlayerItem, waits: Bool) async -> Bool {
    let player = AVPlayer(playerItem: item)
    player.automaticallyWaitsToMinimizeStalling = waits
    guard await eventually({ item.status != .unknown }), item.status == .readyToPlay else { return false }
    player.play()
    defer { player.pause() }
    return await eventually { player.currentTime().seconds > 1 }
}
