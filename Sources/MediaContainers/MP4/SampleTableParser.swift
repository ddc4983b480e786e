/// A parser that reads the boxes of `stbl` into a ``SampleTable``.
struct SampleTableParser {
    private(set) var table: SampleTable
    private(set) var formats: [SampleDescription] = []
    private let handler: FourCC

    init(bytes: [UInt8], origin: Int64, handler: FourCC) {
        table = SampleTable(bytes: bytes, origin: origin)
        self.handler = handler
    }

    /// Reads all boxes of `stbl` and checks that they are consistent.
    mutating func parse(_ payload: ByteReader) throws(ContainerError) {
        var boxes = BoxIterator(payload)
        while let (header, box) = try boxes.next() {
            var reader = box
            switch header.type {
            case "stsd": formats = try SampleDescriptionParser(handler: handler).parse(&reader)
            case "stts": table.timeToSample = try entries(&reader, width: 8, "stts")
            case "ctts": table.compositionOffsets = try entries(&reader, width: 8, "ctts")
            case "stsc": table.sampleToChunk = try entries(&reader, width: 12, "stsc")
            case "stsz": try sizes(&reader)
            case "stz2": try compactSizes(&reader)
            case "stco": table.chunkOffsets = try entries(&reader, width: 4, "stco")
            case "co64": table.chunkOffsets = try entries(&reader, width: 8, "co64")
            case "stss": table.syncSamples = try entries(&reader, width: 4, "stss")
            case "stps": table.partialSyncSamples = try entries(&reader, width: 4, "stps")
            default: break
            }
        }
        choosePacking()
        try check(at: payload.origin)
    }

    private func tableOffset(_ reader: ByteReader) -> Int { Int(reader.offset - table.origin) }

    private func entries(
        _ reader: inout ByteReader, width: Int, _ name: FourCC
    ) throws(ContainerError) -> SampleTable.Entries {
        _ = try FullBox(&reader)
        let count = Int(try reader.uint32())
        guard count <= reader.remaining / width else {
            throw ContainerError(
                .malformed, "\(name): \(count) entries, room for \(reader.remaining / width)", at: reader.offset - 4)
        }
        return SampleTable.Entries(start: tableOffset(reader), count: count, width: width)
    }

    private mutating func sizes(_ reader: inout ByteReader) throws(ContainerError) {
        _ = try FullBox(&reader)
        table.constantSize = Int(try reader.uint32())
        let count = Int(try reader.uint32())
        if table.constantSize == 0 {
            guard count <= reader.remaining / 4 else {
                throw ContainerError(
                    .malformed, "stsz: \(count) entries, room for \(reader.remaining / 4)", at: reader.offset - 4)
            }
            table.sizes = SampleTable.Entries(start: tableOffset(reader), count: count, width: 4)
        }
        table.sampleCount = count
    }

    private mutating func compactSizes(_ reader: inout ByteReader) throws(ContainerError) {
        _ = try FullBox(&reader)
        let bits = Int(try reader.uint32() & 0xFF)
        let count = Int(try reader.uint32())
        guard bits == 4 || bits == 8 || bits == 16 else {
            throw ContainerError(.malformed, "stz2: unsupported field size of \(bits) bits", at: reader.offset - 8)
        }
        guard (count * bits + 7) / 8 <= reader.remaining else {
            throw ContainerError(
                .malformed, "stz2: \(count) entries, room for \(reader.remaining * 8 / bits)", at: reader.offset - 4)
        }
        table.sizes = SampleTable.Entries(start: tableOffset(reader), count: count, width: bits / 8)
        table.sampleCount = count
    }

    /// Enables packing for audio with samples of constant size that last one tick. They are only a few bytes long, so
    /// they're read in packets.
    private mutating func choosePacking() {
        guard handler == "soun", table.hasUnitDurations, table.constantSize > 0 else { return }
        table.packing = formats.first?.packing ?? SampleTable.Packing(samples: 1, bytes: table.constantSize)
    }

    private func check(at offset: Int64) throws(ContainerError) {
        guard table.sampleCount > 0 else { return }
        guard table.timeToSample.count > 0 else {
            throw ContainerError(.malformed, "stbl: \(table.sampleCount) samples without times (stts)", at: offset)
        }
        guard table.chunkOffsets.count > 0, table.sampleToChunk.count > 0 else {
            throw ContainerError(.malformed, "stbl: \(table.sampleCount) samples without chunks", at: offset)
        }
        var before: UInt32 = 0
        for index in 0..<table.sampleToChunk.count {
            let first = table.field(table.sampleToChunk, index, 0)
            guard first > before, index > 0 || first == 1 else {
                throw table.damage("stsc: first chunk \(first) doesn't follow \(before)", table.sampleToChunk, index)
            }
            before = first
        }
        if let sync = table.syncSamples {
            var before: UInt32 = 0
            for index in 0..<sync.count {
                let sample = table.field(sync, index, 0)
                guard sample > before else {
                    throw table.damage("stss: sample \(sample) doesn't follow \(before)", sync, index)
                }
                before = sample
            }
        }
    }
}
