/// An event message, `emsg` (ISO/IEC 23009-1, 5.10.3.3).
public struct EventMessage: Sendable, Hashable {
    /// The scheme that gives the message its meaning.
    public var scheme: String
    /// The scheme's own value.
    public var value: String
    /// Ticks per second of the times.
    public var timescale: UInt32
    /// When the event is: in version 1 on the media's timeline, in version 0 from the segment's earliest time.
    public var time: UInt64
    /// Whether ``time`` counts from the segment's earliest presentation time (version 0).
    public var isRelative: Bool
    /// How long the event lasts, or nil where unknown.
    public var duration: UInt32?
    /// The event's id.
    public var id: UInt32
    /// The message.
    public var message: [UInt8]

    /// Reads an `emsg`.
    ///
    /// - Parameters:
    ///   - payload: The box's bytes after its header.
    ///   - offset: Where they begin in the file.
    /// - Throws: ``ContainerError`` when a field or string ends early, or the version isn't 0 or 1.
    public init(payload: [UInt8], at offset: Int64 = 0) throws(ContainerError) {
        self = try payload.withReader(at: offset) { (reader) throws(ContainerError) in try EventMessage(&reader) }
    }

    private init(_ reader: inout ByteReader) throws(ContainerError) {
        let full = try FullBox(&reader)
        guard full.version < 2 else {
            throw ContainerError(.unsupported, "emsg: version \(full.version)", at: reader.origin)
        }
        isRelative = full.version == 0
        scheme = ""
        value = ""
        if isRelative {
            scheme = try Self.string(&reader)
            value = try Self.string(&reader)
        }
        timescale = try reader.uint32()
        time = isRelative ? UInt64(try reader.uint32()) : try reader.uint64()
        let length = try reader.uint32()
        duration = length == .max ? nil : length
        id = try reader.uint32()
        if !isRelative {
            scheme = try Self.string(&reader)
            value = try Self.string(&reader)
        }
        message = [UInt8](copying: reader.takeRest())
    }

    private static func string(_ reader: inout ByteReader) throws(ContainerError) -> String {
        var bytes: [UInt8] = []
        while true {
            let byte = try reader.uint8()
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }
}
