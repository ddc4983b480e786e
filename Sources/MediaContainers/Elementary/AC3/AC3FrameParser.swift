/// Splits AC-3 and Enhanced AC-3 (ETSI TS 102 366). A dependent substream belongs to the frame before it (E.3).
final class AC3FrameParser: SyncFrameParser {
    private let isEnhanced: Bool
    private var lastConfiguration: [UInt8] = []

    /// - Parameter isEnhanced: Whether the stream may have dependent substreams, so that a frame's end shows only in
    ///   the next header.
    init(isEnhanced: Bool) { self.isEnhanced = isEnhanced }

    override var headerLength: Int { AC3SyncFrame.headerLength }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
        AC3SyncFrame(bytes, at: place)?.length
    }

    override func joinedLength(_ bytes: UnsafeRawBufferPointer, first: Int, isLast: Bool) -> Int? {
        guard isEnhanced else { return first }
        var end = first
        // At most eight dependent substreams follow (E.1.3.1.2).
        for _ in 0..<8 {
            guard end + headerLength <= bytes.count else { return isLast ? end : nil }
            guard let next = AC3SyncFrame(bytes, at: end), next.isEnhanced, next.streamType == 1 else { return end }
            guard end + next.length <= bytes.count else { return isLast ? end : nil }
            end += next.length
        }
        return end
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard let header = AC3SyncFrame(frame, at: 0) else { return }
        duration = FrameDuration(samples: Int64(header.samples), rate: Int64(max(1, header.sampleRate)))
        let configuration =
            header.isEnhanced ? EnhancedAC3Configuration(frame, header).bytes : Self.configuration(header)
        guard configuration != lastConfiguration else { return }
        lastConfiguration = configuration
        setFormat(
            MediaFormat(
                codec: header.isEnhanced ? .eac3 : .ac3, codecString: header.isEnhanced ? "ec-3" : "ac-3",
                configuration: configuration, sampleEntry: header.isEnhanced ? "ec-3" : "ac-3",
                sampleRate: header.sampleRate, channels: header.channels))
    }

    /// The content of `dac3` (F.4).
    private static func configuration(_ header: AC3SyncFrame) -> [UInt8] {
        var bits = UInt32(header.sampleRateCode) << 22 | UInt32(header.bitStreamID) << 17
        bits |= UInt32(header.bitStreamMode) << 14 | UInt32(header.channelMode) << 11
        bits |= (header.hasLowFrequency ? 1 : 0) << 10 | UInt32(header.bitRateCode) << 5
        return [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}
