/// A base class for parsers that split the payload of an elementary stream into frames (access units) and derive its
/// format.
class FrameParser {
    enum Scan: Equatable {
        case incomplete
        /// The number of leading bytes that don't belong to any frame.
        case garbage(Int)
        /// The length in bytes of the frame at the beginning. The parser's properties describe the frame.
        case frame(Int)
    }

    /// The duration of a frame in samples at a rate; 0 samples if the stream doesn't define it.
    struct FrameDuration: Equatable {
        var samples: Int64 = 0
        var rate: Int64 = 1
    }

    /// The format of the last frame, or nil until it is known.
    final private(set) var format: MediaFormat?
    /// The number of changes of ``format``.
    final private(set) var formatVersion = 0
    /// Whether decoding can start at the last frame.
    final var isSync = true
    final var duration = FrameDuration()
    /// Frames per second according to the parameter sets, or nil.
    final var frameRate: Double?
    /// Whether the last access unit is a field, which lasts half as long as a frame.
    final var isField = false
    /// The number of bytes at the beginning of the frame that belong to the transport and aren't delivered.
    final var prefixLength = 0

    /// Looks for the end of the frame at the beginning of `bytes`. After ``Scan/incomplete``, the next call passes the
    /// same bytes, followed by more.
    func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        bytes.isEmpty ? .incomplete : .frame(bytes.count)
    }

    /// Discards an incomplete frame, because the following bytes don't continue it.
    func reset() {}

    /// Whether each PES packet is a frame.
    var needsWholePackets: Bool { false }

    /// Sets the format. Increments ``formatVersion`` if the format has changed.
    final func setFormat(_ new: MediaFormat) {
        guard new != format else { return }
        format = new
        formatVersion += 1
    }
}

/// A parser that returns each PES packet of a stream of unknown coding as one sample.
class WholePacketParser: FrameParser {
    override var needsWholePackets: Bool { true }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        isLast && !bytes.isEmpty ? .frame(bytes.count) : .incomplete
    }
}
