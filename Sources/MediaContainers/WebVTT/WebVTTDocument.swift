/// A WebVTT file, or a media segment of a subtitle rendition (W3C WebVTT, 4; RFC 8216, 3.5).
public struct WebVTTDocument: Sendable, Hashable {
    /// Where its times lie on the clock of the stream's other segments (X-TIMESTAMP-MAP).
    public struct TimestampMap: Sendable, Hashable {
        /// A time of the cues, in ticks of 90 kHz.
        public var local: Int64
        /// The time stamp of a transport stream that it is, of 33 bits.
        public var transport: Int64
    }

    /// What stands before the cues and isn't about time: `WEBVTT`, then the blocks of styles and regions.
    public private(set) var header = "WEBVTT"
    /// What the segment says of the stream's clock, or nil.
    public private(set) var timestampMap: TimestampMap?
    /// The cues in their order, with times in ticks of 90 kHz; what is no cue is left out.
    public private(set) var cues: [WebVTTCue] = []

    /// Reads a file.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/notThisFormat`` for what doesn't begin as WebVTT does.
    public init(_ bytes: [UInt8]) throws(ContainerError) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        guard let first = lines.first, Self.isSignature(first) else {
            throw ContainerError(.notThisFormat, "a segment of subtitles that isn't WebVTT", at: 0)
        }
        var blocks = lines.dropFirst().split(whereSeparator: \.isEmpty)[...]
        // What follows the first line at once belongs to the header.
        if lines.count > 1, !lines[1].isEmpty, let fields = blocks.popFirst() {
            timestampMap = fields.lazy.compactMap { TimestampMap($0) }.first
        }
        for block in blocks { take(Array(block)) }
    }

    private static func isSignature(_ line: Substring) -> Bool {
        let line = line.first == "\u{FEFF}" ? line.dropFirst() : line
        guard line.hasPrefix("WEBVTT") else { return false }
        return line.count == 6 || line.dropFirst(6).first == " " || line.dropFirst(6).first == "\t"
    }

    private mutating func take(_ block: [Substring]) {
        if block[0] == "NOTE" || block[0].hasPrefix("NOTE ") { return }
        if let cue = WebVTTCue(block[...]) {
            cues.append(cue)
        } else if block.count > 1, var cue = WebVTTCue(block[1...]) {
            cue.identifier = String(block[0])
            cues.append(cue)
        } else if cues.isEmpty, block[0].hasPrefix("STYLE") || block[0].hasPrefix("REGION") {
            header += "\n\n" + block.joined(separator: "\n")
        }
    }
}

extension WebVTTDocument.TimestampMap {
    /// Reads `X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000`, in either order.
    fileprivate init?(_ line: Substring) {
        guard line.hasPrefix("X-TIMESTAMP-MAP=") else { return nil }
        var (local, transport): (Int64?, Int64?)
        for field in line.dropFirst(16).split(separator: ",") {
            let parts = field.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            switch parts[0].drop(while: { $0 == " " }) {
            case "LOCAL": local = WebVTTTime.ticks(parts[1])
            case "MPEGTS": transport = Int64(parts[1].filter { $0 != " " })
            default: break
            }
        }
        guard let local, let transport, transport >= 0, transport < 1 << 33 else { return nil }
        self.init(local: local, transport: transport)
    }
}

extension WebVTTCue {
    /// Reads a block that begins with its times; nil if it doesn't, or lasts no time.
    fileprivate init?(_ block: ArraySlice<Substring>) {
        guard let line = block.first, let arrow = line.firstRange(of: "-->") else { return nil }
        let words = line[arrow.upperBound...].split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        guard let start = WebVTTTime.ticks(line[..<arrow.lowerBound]),
            let end = words.first.flatMap({ WebVTTTime.ticks($0) }), end > start
        else { return nil }
        self.init(
            start: start, end: end, payload: block.dropFirst().joined(separator: "\n"),
            settings: words.count > 1 ? String(words[1]) : nil)
    }
}
