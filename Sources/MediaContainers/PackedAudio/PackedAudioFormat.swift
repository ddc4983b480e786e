/// The codecs of packed audio (RFC 8216, 3.4): consecutive frames without a container.
public enum PackedAudioFormat: String, Sendable, Hashable, CaseIterable {
    /// AAC with ADTS headers.
    case adts
    /// AC-3.
    case ac3
    /// Enhanced AC-3.
    case eac3
    /// MPEG audio: MP3 and layers I and II.
    case mpegAudio

    /// The maximum number of bytes searched for frames.
    static let probeLength = 64 << 10

    /// Recognizes packed audio by its first bytes after any ID3 tags. Requires three consecutive frames. Fewer are
    /// enough if bytes of an incomplete file end in the second or third frame, the whole file ends after a frame, or an
    /// ID3 tag follows.
    public static func recognize(_ bytes: UnsafeRawBufferPointer, isWhole: Bool = false) -> PackedAudioFormat? {
        var start = 0
        while let length = ID3Tag.length(UnsafeRawBufferPointer(rebasing: bytes[start...])) {
            guard start + length < bytes.count else { return nil }
            start += length
        }
        let front = UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(probeLength))
        return allCases.first { $0.matches(front, isWhole: isWhole && front.count == bytes.count - start) }
    }

    private func matches(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
        var offset = 0
        var frames = 0
        while frames < 3 {
            guard let length = frameLength(bytes, at: offset) else {
                return frames > 0 && (isWhole && offset == bytes.count || isTag(bytes, at: offset))
            }
            offset += length
            frames += 1
            // A frame that's truncated by the end of the probe doesn't rule out the format.
            if offset > bytes.count { return !isWhole && frames > 1 }
        }
        return true
    }

    private func isTag(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        ID3Tag.length(UnsafeRawBufferPointer(rebasing: bytes[offset...])) != nil
    }

    private func frameLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        switch self {
        case .adts: return ADTSHeader(bytes, at: offset)?.frameLength
        case .mpegAudio: return MPEGAudioHeader(bytes, at: offset)?.frameLength
        case .ac3, .eac3:
            guard let header = AC3SyncFrame(bytes, at: offset), header.isEnhanced == (self == .eac3) else { return nil }
            return header.length
        }
    }

    func makeParser() -> FrameParser {
        switch self {
        case .adts: ADTSFrameParser()
        case .ac3: AC3FrameParser(isEnhanced: false)
        case .eac3: AC3FrameParser(isEnhanced: true)
        case .mpegAudio: MPEGAudioFrameParser()
        }
    }
}
