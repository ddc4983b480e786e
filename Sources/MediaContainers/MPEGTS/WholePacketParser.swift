/// Takes each PES packet of a stream whose coding isn't known as one sample.
final class WholePacketParser: FrameParser {
    override var needsWholePackets: Bool { true }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        isLast && !bytes.isEmpty ? .frame(bytes.count) : .incomplete
    }
}
