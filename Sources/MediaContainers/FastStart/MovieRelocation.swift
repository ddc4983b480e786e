/// The relocation of a movie box and the adjustment of the media offsets in it.
///
/// Chunk offsets (`stco`, `co64`) and the offsets of auxiliary information (`saio`) are relative to the start of the
/// file (ISO/IEC 14496-12, 8.7.5 and 8.7.9). If an offset no longer fits 32 bits, its table grows to 64 bits. That
/// enlarges the box, which moves the media again.
struct MovieRelocation {
    let insertion: Int64
    /// The original range of the box.
    let old: Range<Int64>

    /// A table of offsets in the box.
    private struct Table {
        var boxStart: Int
        var entries: Int
        var count: Int
        var isWide: Bool
        var largest: UInt64
    }

    /// Returns the bytes of the box, including its header, at its new offset.
    func relocate(_ box: [UInt8]) throws(ContainerError) -> [UInt8] {
        let tables = try box.withReader(at: old.lowerBound) { (reader) throws(ContainerError) in
            var found: [Table] = []
            try collect(reader, depth: 0, into: &found)
            return found
        }
        var grown: Set<Int> = []
        var size = Int64(box.count)
        while true {
            let before = grown.count
            for (index, table) in tables.enumerated() where !table.isWide && !grown.contains(index) {
                guard moved(table.largest, size: size) > UInt64(UInt32.max) else { continue }
                grown.insert(index)
                size += Int64(table.count) * 4
            }
            if grown.count == before { break }
        }
        guard let total = UInt32(exactly: size) else {
            throw ContainerError(.unrepresentable, "moov: \(size) bytes don't fit a 32-bit size", at: old.lowerBound)
        }
        var result = box
        for (index, table) in tables.enumerated() where !grown.contains(index) {
            patch(&result, table, size: size)
        }
        guard !grown.isEmpty else {
            // An open-ended box needs an explicit size once it isn't the last box.
            if box.prefix(4).allSatisfy({ $0 == 0 }) { result.setBigEndian(total, at: 0) }
            return result
        }
        let growing = grown.sorted().map { tables[$0] }
        return try result.withReader(at: old.lowerBound) { (reader) throws(ContainerError) in
            try rebuild(reader, growing, size: size)
        }
    }

    /// Returns the offset of a byte of the file after the move.
    private func moved(_ offset: UInt64, size: Int64) -> UInt64 {
        guard let place = Int64(exactly: offset), place >= insertion else { return offset }
        if place < old.lowerBound { return offset &+ UInt64(size) }
        if place < old.upperBound { return offset }
        return offset &- UInt64(old.upperBound - old.lowerBound) &+ UInt64(size)
    }

    private static let containers: Set<FourCC> = ["moov", "trak", "mdia", "minf", "stbl"]

    private func collect(_ reader: ByteReader, depth: Int, into tables: inout [Table]) throws(ContainerError) {
        guard depth < 8 else { return }
        var boxes = BoxIterator(reader)
        while let (header, box) = try boxes.next() {
            var payload = box
            switch header.type {
            case "stco", "co64": tables.append(try table(header, &payload, isWide: header.type == "co64"))
            case "saio":
                var peek = payload
                let full = try FullBox(&peek)
                if full.flags & 1 != 0 { try payload.skip(8) }
                // There is one offset, or one per chunk, each relative to the start of the file.
                tables.append(try table(header, &payload, isWide: full.version > 0))
            case "cmov":
                throw ContainerError(.unsupported, "moov: compressed content (cmov)", at: header.offset)
            default:
                if Self.containers.contains(header.type) { try collect(box, depth: depth + 1, into: &tables) }
            }
        }
    }

    private func table(_ header: BoxHeader, _ reader: inout ByteReader, isWide: Bool) throws(ContainerError) -> Table {
        try reader.skip(4)
        let count = Int(try reader.uint32())
        guard count <= reader.remaining / (isWide ? 8 : 4) else {
            throw ContainerError(
                .malformed, "\(header.type): \(count) entries in \(reader.remaining) bytes", at: reader.offset - 4)
        }
        let entries = Int(reader.offset - old.lowerBound)
        var largest: UInt64 = 0
        for _ in 0..<count { largest = max(largest, isWide ? try reader.uint64() : UInt64(try reader.uint32())) }
        return Table(
            boxStart: Int(header.offset - old.lowerBound), entries: entries, count: count, isWide: isWide,
            largest: largest)
    }

    private func patch(_ bytes: inout [UInt8], _ table: Table, size: Int64) {
        bytes.withUnsafeMutableBytes { buffer in
            for index in 0..<table.count {
                if table.isWide {
                    let place = table.entries + index * 8
                    let offset = UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                    buffer.storeBytes(of: moved(offset, size: size).bigEndian, toByteOffset: place, as: UInt64.self)
                } else {
                    let place = table.entries + index * 4
                    let offset = UInt32(bigEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt32.self))
                    let target = UInt32(truncatingIfNeeded: moved(UInt64(offset), size: size))
                    buffer.storeBytes(of: target.bigEndian, toByteOffset: place, as: UInt32.self)
                }
            }
        }
    }

    /// Copies the boxes, widening the tables and correcting the sizes of their parents.
    private func rebuild(_ reader: ByteReader, _ growing: [Table], size: Int64) throws(ContainerError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Int(size))
        var position = reader
        while position.remaining >= 8 {
            let begin = Int(position.offset - old.lowerBound)
            let limit = position.offset + Int64(position.remaining)
            let header = try BoxHeader(&position, limit: limit)
            var payload = try position.sub(Int(header.size) - header.headerSize)
            let end = begin + Int(header.size)
            let inside = growing.filter { $0.boxStart >= begin && $0.boxStart < end }
            let content: [UInt8]
            var type = header.type
            if inside.isEmpty {
                content = [UInt8](copying: payload.takeRest())
            } else if let table = inside.first, table.boxStart == begin {
                if type == "stco" { type = "co64" }
                content = try widened(&payload, table, type: type, size: size)
            } else {
                content = try rebuild(payload, inside, size: size)
            }
            // The header must keep its size, since a shorter one would move the media again.
            let total = content.count + header.headerSize
            let isLong = header.headerSize - (header.userType == nil ? 0 : 16) == 16
            result.appendBigEndian(isLong ? 1 : UInt32(truncatingIfNeeded: total))
            result.append(type)
            if isLong { result.appendBigEndian(UInt64(total)) }
            if let userType = header.userType {
                result.appendBigEndian(userType.high)
                result.appendBigEndian(userType.low)
            }
            result += content
        }
        result += [UInt8](copying: position.takeRest())
        return result
    }

    private func widened(
        _ payload: inout ByteReader, _ table: Table, type: FourCC, size: Int64
    ) throws(ContainerError) -> [UInt8] {
        let fields = table.entries - Int(payload.offset - old.lowerBound)
        var content = [UInt8](copying: try payload.take(fields))
        // In saio, version 1 has 64-bit offsets. co64 is a separate box with version 0.
        if type == "saio", !content.isEmpty { content[0] = 1 }
        for _ in 0..<table.count { content.appendBigEndian(moved(UInt64(try payload.uint32()), size: size)) }
        return content + [UInt8](copying: payload.takeRest())
    }
}
