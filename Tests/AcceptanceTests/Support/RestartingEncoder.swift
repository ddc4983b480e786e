import Foundation
import Synchronization
import TestSupport

/// A live origin that gives names of segments again: it has a ring of them, or starts again and counts from another
/// number.
final class RestartingEncoder: Sendable {
    /// What the playlist shows at one time.
    struct Window: Sendable {
        /// How often the encoder has started again; each run's segments are its own.
        var run: Int
        /// The first segment's media sequence number.
        var first: Int

        /// The media sequence numbers.
        var numbers: Range<Int> { first..<first + 4 }
    }

    static let playlist = "live.m3u8"
    static let segmentBytes = 188 * 400

    /// After how many segments names come again.
    private let names: Int
    /// Whether segments have an ETag.
    private let hasValidators: Bool
    private let window = Mutex(Window(run: 0, first: 0))

    init(names: Int, hasValidators: Bool) {
        self.names = names
        self.hasValidators = hasValidators
    }

    /// Shows `window` from now on.
    func show(_ window: Window) { self.window.withLock { $0 = window } }

    /// What the segment of a media sequence number is called.
    func name(of number: Int) -> String { "segment\(number % names).ts" }

    /// A segment's bytes: MPEG-TS null packets, of the same length in each.
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

    /// What it answers.
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
