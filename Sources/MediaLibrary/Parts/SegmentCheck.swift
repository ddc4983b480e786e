internal import HLS

/// Whether a body can be the media segment that was asked for, by its first bytes and its length.
enum SegmentCheck {
    /// What is wrong with it, if it can't be one.
    static func problem(
        _ part: AssetPart, front: [UInt8], length: Int64, _ wrapping: SegmentWrapping
    ) -> String? {
        guard wrapping == .none else { return nil }
        switch BodyKind(of: front) {
        case .playlist: return "came as a playlist, not as media"
        case .foreign(let content):
            let isForeign =
                switch content {
                case .html, .json: true
                case .xml, .urlList: !part.isText
                case .text, .image: !part.isText && !part.isEncrypted
                default: false
                }
            if isForeign { return "came as \(content), not as media; its origin may be failing" }
            if content == .empty, !part.isText, !part.isEncrypted { return "came as blank lines, not as media" }
        }
        if part.hasWholeBlocks, part.range == nil, length % 16 != 0 {
            return "has \(length) bytes, which no cipher of whole blocks gives: it was cut off"
        }
        return nil
    }
}

extension SegmentWrapping {
    /// What somebody may want to know.
    var note: String? {
        switch self {
        case .none: nil
        case .picture(let length): "it stands behind a picture of \(length) bytes, which is taken off"
        case .gzip: "it's compressed with gzip, which is taken off"
        }
    }
}
