/// A frame of an ID3 tag.
public enum ID3Frame: Sendable, Hashable {
    /// PRIV: its owner and its data.
    case priv(owner: String, data: [UInt8])
    /// APIC or PIC.
    case picture(ID3Picture)
    /// A text frame: its identifier and its text.
    case text(id: String, value: String)
    /// Any other frame with its content as it is.
    case other(id: String, data: [UInt8])

    /// Reads the next frame; nil where none can follow.
    init?(_ reader: inout ByteReader, version: UInt8) {
        let idLength = version == 2 ? 3 : 4
        guard let idBytes = try? reader.take(idLength), idBytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        let id = String(decoding: idBytes, as: UTF8.self)
        let size: Int
        var flags: UInt16 = 0
        if version == 2 {
            guard let short = try? reader.uint24() else { return nil }
            size = Int(short)
        } else {
            let place = reader.position
            guard let plain = try? reader.uint32(), let bits = try? reader.uint16() else { return nil }
            flags = bits
            let safe = version >= 4 ? ID3Tag.synchsafe(reader.bytes, at: place) : nil
            // Some writers of 2.4 forget that its sizes have seven bits a byte: then the plain number is meant.
            size = safe ?? Int(plain)
        }
        guard let raw = try? reader.take(size) else { return nil }
        if version >= 4, flags & 2 != 0 {
            let whole = ID3Tag.resynchronised(raw)
            self = whole.withUnsafeBytes { ID3Frame(id: id, $0, version: version, flags: flags) }
        } else {
            self.init(id: id, raw, version: version, flags: flags)
        }
    }

    private init(id: String, _ content: UnsafeRawBufferPointer, version: UInt8, flags: UInt16) {
        // Compressed or encrypted.
        guard flags & (version >= 4 ? 0x0C : 0xC0) == 0 else {
            self = .other(id: id, data: Array(content))
            return
        }
        // data length indicator (2.4).
        let hasLength = version >= 4 && flags & 1 != 0 && content.count >= 4
        let content = hasLength ? UnsafeRawBufferPointer(rebasing: content[4...]) : content
        var reader = ByteReader(content)
        switch id {
        case "PRIV":
            let owner = ID3Text.decode(ID3Text.terminated(&reader, encoding: 0), encoding: 0)
            self = .priv(owner: owner, data: Array(reader.takeRest()))
        case "APIC", "PIC":
            if let picture = ID3Picture(content, version: version) {
                self = .picture(picture)
            } else {
                self = .other(id: id, data: Array(content))
            }
        case _ where id.hasPrefix("T") && id != "TXXX" && id != "TXX":
            guard let encoding = try? reader.uint8() else {
                self = .text(id: id, value: "")
                return
            }
            let text = ID3Text.terminated(&reader, encoding: encoding)
            self = .text(id: id, value: ID3Text.decode(text, encoding: encoding))
        default:
            self = .other(id: id, data: Array(content))
        }
    }
}
