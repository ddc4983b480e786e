import Foundation
import Synchronization
import TestSupport

/// A live origin that reuses segment names, either in turn or after a restart of the encoder.
final class RestartingEncoder: Sendable {
    /// The window of the playlist at some time.
    struct Window: Sendable {
        /// The number of restarts so far. Segments of different runs differ.
        var run: Int
        /// The media sequence number of the first segment.
        var first: Int

        var numbers: Range<Int> { first..<first + 4 }
    }

    static let playlist = "live.m3u8"
    static let segmentBytes = 188 * 400

    /// The number of distinct names.
    private let names: Int
    private let hasValidators: Bool
    private let window = Mutex(Window(run: 0, first: 0))

    init(names: Int, hasValidators: Bool) {
        self.names = names
        self.hasValidators = hasValidators
    }

    func show(_ window: Window) { self.window.withLock { $0 = window } }

    func name(of number: Int) -> String { "segment\(number % names).ts" }

    /// Returns the bytes of a segment: MPEG-TS null packets, the same number in every segment.
    static func segment(_ number: Int, of run: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(run << 32 + number))
        var data = Data(capacity: segmentBytes)
        while data.count < segmentBytes {
            data.append(contentsOf: [0x47, 0x1F, 0xFF, 0x10])
            let word = withUnsafeBytes(of: generator.next()) { Array($0) }
            for _ in 0..<23 { data.append(contentsOf: word) }
        }
        return data
    }

    func answer(_ request: ScriptedOrigin.Request) -> ScriptedOrigin.Response {
        let window = self.window.withLock { $0 }
        if request.path == "/\(Self.playlist)" {
            var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(window.first)\n"
            for number in window.numbers { text += "#EXTINF:2,\n\(name(of: number))\n" }
            return .init(fields: ["Content-Type": "application/vnd.apple.mpegurl"], body: Data(text.utf8))
        }
        guard let number = window.numbers.first(where: { request.path == "/\(name(of: $0))" }) else {
            return .init(status: 404)
        }
        let tag = "\"\(window.run)-\(number)\""
        var fields = ["Content-Type": "video/mp2t"]
        if hasValidators {
            fields["ETag"] = tag
            if request.fields["if-none-match"] == tag { return .init(status: 304, fields: fields) }
        }
        return .init(fields: fields, body: Self.segment(number, of: window.run))
    }
}
