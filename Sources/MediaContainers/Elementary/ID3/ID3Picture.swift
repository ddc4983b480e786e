/// A picture in an ID3 tag: APIC, or PIC of version 2.2.
public struct ID3Picture: Sendable, Hashable {
    /// The media type (`image/jpeg`), or in version 2.2 the format (`JPG`); `-->` says that the data is a URL.
    public var mediaType: String
    /// What it shows: 3 is the front cover, 0 to 20.
    public var type: UInt8
    /// The description.
    public var description: String
    /// The picture's bytes.
    public var data: [UInt8]

    /// Creates a picture.
    public init(mediaType: String, type: UInt8, description: String, data: [UInt8]) {
        self.mediaType = mediaType
        self.type = type
        self.description = description
        self.data = data
    }

    init?(_ content: UnsafeRawBufferPointer, version: UInt8) {
        var reader = ByteReader(content)
        guard let encoding = try? reader.uint8() else { return nil }
        if version == 2 {
            guard let format = try? reader.take(3) else { return nil }
            mediaType = ID3Text.decode(format, encoding: 0)
        } else {
            mediaType = ID3Text.decode(ID3Text.terminated(&reader, encoding: 0), encoding: 0)
        }
        guard let type = try? reader.uint8() else { return nil }
        self.type = type
        description = ID3Text.decode(ID3Text.terminated(&reader, encoding: encoding), encoding: encoding)
        data = Array(reader.takeRest())
    }
}
