/// Frames of Enhanced AC-3 of fewer than six audio blocks, put together: a sample of MP4 has six of each substream, as
/// many as a frame of AC-3 (ETSI TS 102 366, annexes E and F).
///
/// Only where a stretch of sound ends may the last sample have fewer, so that nothing of it is lost.
struct AudioBlockGroup {
    private static let blocksOfSample = 6
    private static let samplesOfBlock = 256

    private var first: MediaSample?
    private var end: Int64 = 0
    private var blocks = 0
    private var bytes: [UInt8] = []

    /// Whether the frames are a sample.
    var isComplete: Bool { blocks >= Self.blocksOfSample }

    /// Whether a frame is a sample by itself, as nearly all are, and no other waits for it.
    func isUnneeded(for frame: UnsafeRawBufferPointer) -> Bool {
        first == nil && Self.blocks(in: frame) >= Self.blocksOfSample
    }

    /// Whether a frame goes on where the others end, but for rounding.
    func continues(with sample: MediaSample) -> Bool {
        guard let first else { return true }
        return sample.formatIndex == first.formatIndex
            && sample.dts.subtractingClamped(end).magnitude <= sample.duration.magnitude / 2
    }

    mutating func append(_ sample: MediaSample, _ frame: UnsafeRawBufferPointer) {
        if first == nil { first = sample }
        end = sample.dts.addingClamped(sample.duration)
        blocks += Self.blocks(in: frame)
        bytes += frame
    }

    /// The frames as one sample, if there are any; then it's empty.
    mutating func take() -> (sample: MediaSample, bytes: [UInt8])? {
        guard var sample = first else { return nil }
        sample.duration = end.subtractingClamped(sample.dts)
        sample.size = bytes.count
        defer { self = AudioBlockGroup() }
        return (sample, bytes)
    }

    /// The audio blocks of the first independent substream.
    private static func blocks(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var place = 0
        while let frame = AC3SyncFrame(bytes, at: place) {
            if frame.streamType != 1, frame.substreamID == 0 { count += frame.samples / samplesOfBlock }
            place += frame.length
        }
        // What can't be read stays as it came.
        return count == 0 ? blocksOfSample : count
    }
}
