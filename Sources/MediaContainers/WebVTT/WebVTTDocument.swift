/// A WebVTT file, or a media segment of a subtitle rendition (W3C WebVTT, 4; RFC 8216, 3.5).
public struct WebVTTDocument: Sendable, Hashable {
    /// The position of the cue times on the clock of the stream's other segments (X-TIMESTAMP-MAP).
    public struct TimestampMap: Sendable, Hashable {
        /// A time of the cues in 90 kHz ticks.
        public var local: Int64
        /// The corresponding 33-bit timestamp of a transport stream.
        public var transport: Int64
    }

    /// The text before the cues: `WEBVTT`, then the blocks of styles and regions, without the timestamp map.
    public private(set) var header = "WEBVTT"
    /// The timestamp map of the segment, or nil.
    public private(set) var timestampMap: TimestampMap?
    /// The cues in file order, with times in 90 kHz ticks. Comments and invalid blocks are omitted.
    public private(set) var cues: [WebVTTCue] = []

    /// Reads a file. Throws `notThisFormat` when the bytes don't begin with a WebVTT signature.
    public init(_ bytes: [UInt8]) throws(ContainerError) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        guard let first = lines.first, Self.isSignature(first) else {
            throw ContainerError(.notThisFormat, "the subtitle segment isn't WebVTT", at: 0)
        }
        // The lines directly after the first belong to the header.
        var (block, isHeader): ([Substring], Bool) = ([], true)
        for line in lines.dropFirst() {
            if line.isEmpty || (isHeader || Self.isComplete(block)) && Self.hasArrow(line) {
                read(block, isHeader: isHeader)
                (block, isHeader) = ([], false)
            }
            if !line.isEmpty { block.append(line) }
        }
        read(block, isHeader: isHeader)
    }

    private static func isSignature(_ line: Substring) -> Bool {
        let line = line.first == "\u{FEFF}" ? line.dropFirst() : line
        guard line.hasPrefix("WEBVTT") else { return false }
        return line.count == 6 || line.dropFirst(6).first == " " || line.dropFirst(6).first == "\t"
    }

    private static func hasArrow(_ line: Substring) -> Bool { line.firstRange(of: "-->") != nil }

    private static func isComment(_ line: Substring) -> Bool { line == "NOTE" || line.hasPrefix("NOTE ") }

    /// Returns whether times begin the next block instead of continuing this one after its identifier (W3C WebVTT,
    /// 6.1). Unlike in the standard, times in a comment are part of the comment.
    private static func isComplete(_ block: [Substring]) -> Bool {
        guard let first = block.first, !isComment(first) else { return false }
        return block.count > 1 || hasArrow(first)
    }

    private mutating func read(_ block: [Substring], isHeader: Bool) {
        if isHeader { timestampMap = block.lazy.compactMap { TimestampMap($0) }.first }
        guard !isHeader, let first = block.first, !Self.isComment(first) else { return }
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
    /// Reads a block that begins with its times. Returns nil if it doesn't, or if the duration isn't positive.
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

/// A WebVTT cue, with times in ticks of the track that contains it.
public struct WebVTTCue: Sendable, Hashable {
    /// The start time.
    public var start: Int64
    /// The end time.
    public var end: Int64
    /// The identifier, or nil.
    public var identifier: String?
    /// The settings, such as `line:0 align:start`, or nil.
    public var settings: String?
    /// The text with markup.
    public var payload: String

    /// Creates a cue.
    public init(start: Int64, end: Int64, payload: String, identifier: String? = nil, settings: String? = nil) {
        self.start = start
        self.end = end
        self.payload = payload
        self.identifier = identifier
        self.settings = settings
    }
}

/// Conversion of WebVTT times: `00:00.000` or `00:00:00.000` (W3C WebVTT, 4.1).
enum WebVTTTime {
    private static let ticksPerMillisecond: Int64 = 90
    private static let maximumHours: Int64 = 1 << 20

    /// Returns a time in 90 kHz ticks, or nil if the text isn't a valid time.
    static func ticks(_ text: some StringProtocol) -> Int64? {
        let text = String(text.filter { $0 != " " && $0 != "\t" })
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let last = parts.last else { return nil }
        let seconds = last.split(separator: ".", omittingEmptySubsequences: false)
        guard seconds.count == 2, seconds[1].utf8.count == 3 else { return nil }
        let hours = parts.count == 3 ? number(parts[0]) : 0
        guard let hours, hours < maximumHours, let minutes = number(parts[parts.count - 2]), minutes < 60,
            let whole = number(seconds[0]), whole < 60, let milliseconds = number(seconds[1])
        else { return nil }
        return (((hours * 60 + minutes) * 60 + whole) * 1000 + milliseconds) * ticksPerMillisecond
    }

    /// Returns the text of a time in 90 kHz ticks, rounded to milliseconds. Negative times become 0.
    static func text(_ ticks: Int64) -> String {
        let total = (max(0, ticks) + ticksPerMillisecond / 2) / ticksPerMillisecond
        let (seconds, milliseconds) = (total / 1000, total % 1000)
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { "\($0)".zeroPadded(to: 2) }
        return clock.joined(separator: ":") + "." + "\(milliseconds)".zeroPadded(to: 3)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
