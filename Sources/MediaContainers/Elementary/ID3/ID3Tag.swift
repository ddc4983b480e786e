/// An ID3v2 tag: the frames that media containers and HLS use (ID3 2.2 to 2.4; RFC 8216, 3.4).
public struct ID3Tag: Sendable, Hashable {
    /// The tag's length in bytes, header, padding and footer included.
    public var length: Int
    /// Frames in order; what can't be read is left out.
    public var frames: [ID3Frame]

    /// The shortest bytes that tell a tag's length.
    public static let headerLength = 10

    /// The length of the tag that begins at the front, or nil if none does.
    public static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerLength, bytes[0] == 0x49, bytes[1] == 0x44, bytes[2] == 0x33 else { return nil }
        guard bytes[3] != 0xFF, bytes[4] != 0xFF, let size = synchsafe(bytes, at: 6) else { return nil }
        return headerLength + size + (bytes[5] & 0x10 != 0 ? headerLength : 0)
    }

    /// Reads the tag at the front of bytes; one that is cut off gives the frames that are whole.
    ///
    /// - Throws: ``ContainerError`` `notThisFormat` where none begins.
    public init(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard let length = Self.length(bytes) else { throw ContainerError(.notThisFormat, "no ID3v2 tag", at: 0) }
        self.length = length
        let version = bytes[3]
        let flags = bytes[5]
        let end = min(bytes.count, length)
        let content = UnsafeRawBufferPointer(rebasing: bytes[Self.headerLength..<end])
        if flags & 0x80 != 0, version < 4 {
            frames = Self.resynchronised(content).withUnsafeBytes { Self.frames($0, version: version, flags: flags) }
        } else {
            frames = Self.frames(content, version: version, flags: flags)
        }
    }

    /// The 33-bit time stamp of the first sample of an HLS segment of packed audio (RFC 8216, 3.4), in ticks of
    /// 90 kHz.
    public var transportStreamTimestamp: Int64? {
        let owner = "com.apple.streaming.transportStreamTimestamp"
        for frame in frames {
            guard case .priv(owner, let data) = frame, data.count >= 8 else { continue }
            let value = data.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int64(value & 0x1_FFFF_FFFF)
        }
        return nil
    }

    /// The first picture that is the front cover, else the first.
    public var picture: ID3Picture? {
        let pictures = frames.compactMap { frame -> ID3Picture? in
            if case .picture(let picture) = frame { picture } else { nil }
        }
        return pictures.first { $0.type == 3 } ?? pictures.first
    }

    static func synchsafe(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
        guard place + 4 <= bytes.count else { return nil }
        var value = 0
        for index in place..<place + 4 {
            guard bytes[index] < 0x80 else { return nil }
            value = value << 7 | Int(bytes[index])
        }
        return value
    }

    /// Takes back the unsynchronisation: each FF 00 stands for FF (2.4, 6.1).
    static func resynchronised(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var last: UInt8 = 0
        for byte in bytes {
            if last != 0xFF || byte != 0 { result.append(byte) }
            last = byte
        }
        return result
    }

    private static func frames(_ content: UnsafeRawBufferPointer, version: UInt8, flags: UInt8) -> [ID3Frame] {
        var reader = ByteReader(content)
        if version > 2, flags & 0x40 != 0 {
            // The extended header's size counts itself in 2.4, and doesn't in 2.3.
            let size = version == 4 ? synchsafe(content, at: 0) : (try? reader.uint32()).map { Int($0) }
            guard let size, (try? reader.skip(size)) != nil else { return [] }
        }
        var frames: [ID3Frame] = []
        while reader.remaining > 6, content[reader.position] != 0, let frame = ID3Frame(&reader, version: version) {
            frames.append(frame)
        }
        return frames
    }
}
