/// Timed ID3 metadata: each PES packet is one sample.
final class ID3TagParser: FrameParser {
    /// The header of a Metadata_AU_cell (ISO/IEC 13818-1, 2.12.4), which some encoders put before the tag.
    private static let cellHeaderLength = 5

    override init() {
        super.init()
        setFormat(MediaFormat(codec: .id3, codecString: "id3", sampleEntry: "ID3 "))
    }

    override var needsWholePackets: Bool { true }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        guard isLast, !bytes.isEmpty else { return .incomplete }
        prefixLength = isTag(bytes, at: 0) || !isTag(bytes, at: Self.cellHeaderLength) ? 0 : Self.cellHeaderLength
        return .frame(bytes.count)
    }

    private func isTag(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
        place + 3 <= bytes.count && bytes[place] == 0x49 && bytes[place + 1] == 0x44 && bytes[place + 2] == 0x33
    }
}
