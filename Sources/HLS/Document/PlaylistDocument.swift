/// A playlist as its lines: every tag, comment, blank and line end stays as it is written, in its place.
///
/// It is for editing a playlist of which nothing else may change, and for playlists that break the rules; for what a
/// playlist means, see ``Playlist``. What is read is written again byte for byte.
public struct PlaylistDocument: Sendable, Hashable {
    /// The lines, in order.
    public var lines: [Line]
    private let hasByteOrderMark: Bool

    /// A document of lines.
    public init(lines: [Line] = []) {
        self.lines = lines
        hasByteOrderMark = false
    }

    /// Reads a document. Every sequence of bytes is one.
    public init(_ bytes: [UInt8]) {
        var lines: [Line] = []
        hasByteOrderMark = bytes.withUnsafeBytes { buffer in
            var scanner = LineScanner(buffer)
            while let line = scanner.next() {
                let ending = Line.Ending(buffer[line.end..<line.next])
                lines.append(Line(Line.Content(buffer.part(line.start, line.end)), ending: ending))
            }
            return LineScanner.hasByteOrderMark(buffer)
        }
        self.lines = lines
    }

    /// The document's bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = hasByteOrderMark ? [0xEF, 0xBB, 0xBF] : []
        for line in lines {
            bytes.append(contentsOf: line.content.bytes)
            bytes.append(contentsOf: line.ending.rawValue.utf8)
        }
        return bytes
    }
}
