/// A parser for `stsd` (ISO/IEC 14496-12, 8.5.2; QuickTime File Format, sound sample descriptions).
struct SampleDescriptionParser {
    /// The handler of the track, which determines the form of an entry.
    let handler: FourCC

    func parse(_ reader: inout ByteReader) throws(ContainerError) -> [SampleDescription] {
        let full = try FullBox(&reader)
        let count = Int(try reader.uint32())
        // An entry has at least 16 bytes, so the size of the box bounds the count.
        guard count <= reader.remaining / 16 + 1 else {
            throw ContainerError(.malformed, "stsd: \(count) entries in \(reader.remaining) bytes", at: reader.origin)
        }
        var descriptions: [SampleDescription] = []
        var boxes = BoxIterator(reader)
        while descriptions.count < count, let (header, box) = try boxes.next() {
            var payload = box
            descriptions.append(try entry(header, &payload, isISO: full.version > 0))
        }
        guard descriptions.count == count else {
            throw ContainerError(.truncated, "stsd: \(descriptions.count) entries of \(count)", at: reader.origin)
        }
        return descriptions
    }

    private func entry(
        _ header: BoxHeader, _ reader: inout ByteReader, isISO: Bool
    ) throws(ContainerError) -> SampleDescription {
        var builder = MediaFormatBuilder(sampleEntry: header.type)
        try reader.skip(8)
        switch handler {
        case "vide", "auxv", "pict":
            try reader.skip(16)
            builder.format.width = Int(try reader.uint16())
            builder.format.height = Int(try reader.uint16())
            try reader.skip(50)
        case "soun":
            try audioEntry(&reader, &builder, isISO: isISO)
        default:
            if header.type == "stpp" || header.type == "sbtt" || header.type == "metx" || header.type == "mett" {
                try reader.skipStrings(header.type == "sbtt" || header.type == "mett" ? 2 : 3)
            } else if header.type != "wvtt" {
                // Other text and data entries have specific fields. They are copied verbatim.
                builder.format.configuration = [UInt8](copying: reader.takeRest())
                return SampleDescription(format: try builder.build())
            }
        }
        try configuration(BoxIterator(reader), &builder, depth: 0)
        let packing = builder.packing
        return SampleDescription(format: try builder.build(), packing: packing)
    }

    private func audioEntry(
        _ reader: inout ByteReader, _ builder: inout MediaFormatBuilder, isISO: Bool
    ) throws(ContainerError) {
        let version = try reader.uint16()
        try reader.skip(6)
        builder.format.channels = Int(try reader.uint16())
        builder.bitsPerSample = Int(try reader.uint16())
        try reader.skip(4)
        builder.format.sampleRate = Int(try reader.uint32() >> 16)
        // A version 1 entry is QuickTime's in a version 0 stsd, and an AudioSampleEntryV1 of ISO in a version 1 stsd.
        guard !isISO else { return }
        if version == 1 {
            let samples = Int(try reader.uint32())
            try reader.skip(4)
            let bytes = Int(try reader.uint32())
            try reader.skip(4)
            if samples > 0, bytes > 0 { builder.packing = SampleTable.Packing(samples: samples, bytes: bytes) }
        } else if version == 2 {
            let begin = reader.position
            // The size is relative to the start of the entry. The box header and the fields read so far have 36 bytes.
            let size = Int(try reader.uint32())
            let rate = Double(bitPattern: try reader.uint64())
            let channels = Int(try reader.uint32())
            guard rate > 0, rate < 4e9, channels > 0, channels <= 1024 else {
                throw ContainerError(
                    .malformed, "stsd: invalid sound description with \(channels) channels, \(rate) Hz",
                    at: reader.offset)
            }
            builder.format.sampleRate = Int(rate)
            builder.format.channels = channels
            try reader.skip(4)
            builder.bitsPerSample = Int(try reader.uint32())
            builder.audioFlags = try reader.uint32()
            let bytes = Int(try reader.uint32())
            let samples = Int(try reader.uint32())
            if samples > 0, bytes > 0 { builder.packing = SampleTable.Packing(samples: samples, bytes: bytes) }
            if size >= 72 { try reader.seek(to: min(begin + size - 36, reader.bytes.count)) }
        }
    }

    /// Reads the child boxes of an entry, including the children of `wave` and `sinf`.
    private func configuration(
        _ iterator: BoxIterator, _ builder: inout MediaFormatBuilder, depth: Int
    ) throws(ContainerError) {
        guard depth < 4 else { return }
        var boxes = iterator
        while let (header, box) = try boxes.next() {
            var payload = box
            switch header.type {
            case "wave":
                try configuration(BoxIterator(payload), &builder, depth: depth + 1)
            case "sinf":
                builder.format.protection = try protection(payload, &builder)
            default:
                try builder.read(header, &payload)
            }
        }
    }

    /// Reads `sinf` (14496-12, 8.12): the original format, the scheme and the default key's ID.
    private func protection(
        _ payload: ByteReader, _ builder: inout MediaFormatBuilder
    ) throws(ContainerError) -> SampleProtection {
        var protection = SampleProtection(scheme: "    ")
        var boxes = BoxIterator(payload)
        while let (header, box) = try boxes.next() {
            var reader = box
            switch header.type {
            case "frma":
                builder.format.sampleEntry = try reader.fourCC()
            case "schm":
                _ = try FullBox(&reader)
                protection.scheme = try reader.fourCC()
            case "schi":
                var inner = BoxIterator(box)
                while let (header, box) = try inner.next() {
                    guard header.type == "tenc" || header.userType == .piffTrackEncryption else { continue }
                    var reader = box
                    _ = try FullBox(&reader)
                    try reader.skip(3)
                    protection.initializationVectorSize = Int(try reader.uint8())
                    protection.defaultKeyID = [UInt8](copying: try reader.take(16))
                }
            default: break
            }
        }
        return protection
    }
}

extension ByteReader {
    /// Skips null-terminated strings, or all remaining bytes if there are fewer strings.
    mutating func skipStrings(_ count: Int) throws(ContainerError) {
        var left = count
        while left > 0, !isAtEnd {
            if try uint8() == 0 { left -= 1 }
        }
    }
}

/// An entry of `stsd`: the format, and the packing of audio samples.
struct SampleDescription: Sendable {
    var format: MediaFormat
    var packing: SampleTable.Packing?
}
