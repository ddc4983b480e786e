/// Splits the payload of an elementary stream into frames (access units), and learns from them how they are coded.
///
/// A class for each codec overrides ``scan(_:isLast:)``. It is called once or twice per PES packet, never per
/// transport packet.
class FrameParser {
    /// What was found at the front of the bytes.
    enum Scan: Equatable {
        /// The frame isn't all here yet.
        case incomplete
        /// So many bytes belong to no frame.
        case garbage(Int)
        /// A frame of so many bytes; the properties describe it.
        case frame(Int)
    }

    /// How a frame's length in time is given: samples at a rate. 0 samples where the stream doesn't say.
    struct FrameDuration: Equatable {
        var samples: Int64 = 0
        var rate: Int64 = 1
    }

    /// How the last frame is coded, or nil before that is known.
    final private(set) var format: MediaFormat?
    /// Counts the changes of ``format``.
    final private(set) var formatVersion = 0
    /// Whether decoding can start at the last frame.
    final var isSync = true
    /// How long the last frame lasts.
    final var duration = FrameDuration()
    /// Pictures per second, where the parameter sets say.
    final var frameRate: Double?
    /// Whether the last access unit is a field, which lasts half as long as a frame.
    final var isField = false
    /// Bytes at the frame's front that are the transport's alone and never handed out.
    final var prefixLength = 0

    /// Looks for the end of the frame at the front of `bytes`. The same bytes come again, with more after them, until
    /// a frame or garbage is returned.
    func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        bytes.isEmpty ? .incomplete : .frame(bytes.count)
    }

    /// Forgets a frame begun: what follows doesn't continue it.
    func reset() {}

    /// Whether frames are bounded by PES packets alone.
    var needsWholePackets: Bool { false }

    /// Takes a format, and counts it if it is another than before.
    final func setFormat(_ new: MediaFormat) {
        guard new != format else { return }
        format = new
        formatVersion += 1
    }
}

/// Takes each PES packet of a stream whose coding isn't known as one sample.
final class WholePacketParser: FrameParser {
    override var needsWholePackets: Bool { true }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        isLast && !bytes.isEmpty ? .frame(bytes.count) : .incomplete
    }
}
