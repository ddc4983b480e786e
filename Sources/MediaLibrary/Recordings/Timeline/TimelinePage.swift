import HLS
internal import MediaCache

/// A run of up to 256 segments of one track that follow each other: what is read and written at a time.
package struct TimelinePage: Sendable, Hashable {
    /// The most segments of a page.
    package static let capacity = 256

    /// The number of its first segment.
    package var first: Int64
    /// How many discontinuities stand before its first segment, counted from the recording's beginning.
    package var discontinuities: Int64
    /// Its segments, in order, without a number missing.
    package var segments: [RecordedSegment]

    /// The number behind its last segment.
    package var end: Int64 { first + Int64(segments.count) }

    /// The segment of a number, if it's here.
    package subscript(number: Int64) -> RecordedSegment? {
        get { segments.indices.contains(Int(number - first)) ? segments[Int(number - first)] : nil }
        set {
            guard let newValue, segments.indices.contains(Int(number - first)) else { return }
            segments[Int(number - first)] = newValue
        }
    }
}

/// The form in which a page lies in its file: numbers by seven bits to a byte, most of them differences from what would
/// be expected, what several segments share in a table, and a checksum (CRC-32C) of all of it at the end.
extension TimelinePage {
    private static let mark: UInt32 = 0x4D43_5431

    private enum Flag {
        static let stateMask: UInt64 = 3
        static let isDiscontinuous: UInt64 = 4
        static let isWrapped: UInt64 = 8
        static let hasRange: UInt64 = 16
        static let hasTags: UInt64 = 32
        static let hasOtherConditions: UInt64 = 64
        static let hasOtherTarget: UInt64 = 128
        static let hasOtherEnding: UInt64 = 256
        static let hasFirstPicture: UInt64 = 512
    }

    /// The page as bytes.
    package var encoded: [UInt8] {
        var writer = VarintWriter()
        writer.write(fixed: Self.mark)
        writer.write(UInt64(first))
        writer.write(UInt64(discontinuities))
        writer.write(UInt64(segments.count))
        var last = RecordedSegment(number: first - 1, start: 0, duration: 0, targetDuration: 0, state: .kept)
        for segment in segments {
            var flags = UInt64(segment.state.rawValue)
            if segment.isDiscontinuous { flags |= Flag.isDiscontinuous }
            if segment.isWrapped { flags |= Flag.isWrapped }
            if segment.range != nil { flags |= Flag.hasRange }
            if !segment.tags.isEmpty { flags |= Flag.hasTags }
            if segment.conditions != last.conditions { flags |= Flag.hasOtherConditions }
            if segment.targetDuration != last.targetDuration { flags |= Flag.hasOtherTarget }
            if segment.ending != last.ending { flags |= Flag.hasOtherEnding }
            if segment.firstPicture > 0 { flags |= Flag.hasFirstPicture }
            writer.write(flags)
            writer.write(signed: segment.start &- last.end)
            writer.write(signed: segment.duration &- last.duration)
            writer.write(UInt64(clamping: segment.length))
            writer.write(signed: Int64(segment.originSequence &- last.originSequence &- 1))
            writer.write(segment.url, after: last.url)
            if segment.ending != last.ending { writer.write(segment.ending) }
            if segment.targetDuration != last.targetDuration { writer.write(UInt64(clamping: segment.targetDuration)) }
            if segment.firstPicture > 0 { writer.write(UInt64(segment.firstPicture)) }
            if let range = segment.range {
                writer.write(UInt64(clamping: range.lowerBound))
                writer.write(UInt64(range.count))
            }
            if !segment.tags.isEmpty {
                writer.write(UInt64(segment.tags.count))
                for tag in segment.tags { writer.write(tag) }
            }
            if segment.conditions != last.conditions { segment.conditions.write(to: &writer) }
            last = segment
        }
        writer.write(fixed: writer.bytes.withUnsafeBytes { CRC32C.extend(with: $0) })
        return writer.bytes
    }

    /// Reads what ``encoded`` wrote; nil for anything else, and for what is damaged.
    package init?(encoded bytes: [UInt8]) {
        guard bytes.count > 8 else { return nil }
        var checksum = VarintReader(bytes.suffix(4))
        guard checksum.readFixed() == bytes.withUnsafeBytes({ CRC32C.extend(with: .init(rebasing: $0.dropLast(4))) })
        else { return nil }
        var reader = VarintReader(bytes.dropLast(4))
        guard reader.readFixed() == Self.mark, let first = reader.read(), let discontinuities = reader.read(),
            let count = reader.read(), (1...UInt64(Self.capacity)).contains(count), first <= UInt64(Int64.max) >> 1
        else { return nil }
        self.init(first: Int64(first), discontinuities: Int64(clamping: discontinuities), segments: [])
        segments.reserveCapacity(Int(count))
        var segment = RecordedSegment(number: self.first - 1, start: 0, duration: 0, targetDuration: 0, state: .kept)
        for _ in 0..<count {
            guard Self.read(&reader, into: &segment) else { return nil }
            segments.append(segment)
        }
        guard reader.isAtEnd else { return nil }
    }

    /// When segments begin, up to the year 2116, and what no duration or length is beyond: sums of them stay within 64
    /// bits.
    static let starts: ClosedRange<Int64> = -(1 << 61)...1 << 62
    private static let longest: Int64 = 1 << 60

    /// Makes of one segment the next; false for what is damaged.
    private static func read(_ reader: inout VarintReader, into segment: inout RecordedSegment) -> Bool {
        guard let flags = reader.read(), let state = RecordedSegment.State(rawValue: UInt8(flags & Flag.stateMask)),
            let start = reader.readSigned(), let duration = reader.readSigned(), let length = reader.read(),
            let sequence = reader.readSigned(), let url = reader.readText(after: segment.url)
        else { return false }
        segment.start = segment.end &+ start
        segment.duration &+= duration
        guard starts.contains(segment.start), (0...longest).contains(segment.duration), length <= UInt64(longest)
        else { return false }
        segment.number += 1
        segment.state = state
        segment.isDiscontinuous = flags & Flag.isDiscontinuous != 0
        segment.isWrapped = flags & Flag.isWrapped != 0
        segment.length = Int64(length)
        segment.originSequence = segment.originSequence &+ 1 &+ Int(sequence)
        segment.url = url
        segment.firstPicture = 0
        segment.range = nil
        if !segment.tags.isEmpty { segment.tags = [] }
        if flags & Flag.hasOtherEnding != 0 {
            guard let ending = reader.readText() else { return false }
            segment.ending = ending
        }
        if flags & Flag.hasOtherTarget != 0 {
            guard let target = reader.read() else { return false }
            segment.targetDuration = Int(clamping: target)
        }
        if flags & Flag.hasFirstPicture != 0 {
            guard let length = reader.read() else { return false }
            segment.firstPicture = Int64(clamping: length)
        }
        if flags & Flag.hasRange != 0 {
            guard let lower = reader.read(), let count = reader.read() else { return false }
            let start = Int64(clamping: lower)
            segment.range = start..<start.clampedSum(Int64(clamping: count))
        }
        if flags & Flag.hasTags != 0 {
            guard let count = reader.read() else { return false }
            for _ in 0..<count {
                guard let tag = reader.readText() else { return false }
                segment.tags.append(tag)
            }
        }
        if flags & Flag.hasOtherConditions != 0 {
            guard let conditions = RecordedConditions(&reader) else { return false }
            segment.conditions = conditions
        }
        return true
    }
}

extension RecordedConditions {
    fileprivate func write(to writer: inout VarintWriter) {
        writer.write(UInt64(keys.count))
        for key in keys { Self.write(key.attributes, to: &writer) }
        writer.write(map == nil ? 0 : 1)
        if let map {
            Self.write(map.attributes, to: &writer)
            writer.write(UInt64(map.keys.count))
            for key in map.keys { Self.write(key.attributes, to: &writer) }
        }
        writer.write(UInt64(companions.count))
        for companion in companions {
            writer.write(UInt64(clamping: companion.number))
            writer.write(companion.role == .key ? 0 : 1)
            writer.write(companion.url)
            writer.write(companion.name)
            writer.write(companion.range == nil ? 0 : 1)
            if let range = companion.range {
                writer.write(UInt64(clamping: range.lowerBound))
                writer.write(UInt64(range.count))
            }
        }
    }

    fileprivate init?(_ reader: inout VarintReader) {
        guard let keys = Self.keys(&reader), let hasMap = reader.read() else { return nil }
        self.keys = keys
        if hasMap == 1 {
            guard let attributes = Self.attributes(&reader), let keys = Self.keys(&reader) else { return nil }
            var map = MediaInitializationSection(attributes: attributes)
            map.keys = keys
            self.map = map
        }
        guard let count = reader.read() else { return nil }
        for _ in 0..<count {
            guard let number = reader.read(), let role = reader.read(), let url = reader.readText(),
                let name = reader.readText(), let hasRange = reader.read()
            else { return nil }
            var companion = Companion(
                number: Int64(clamping: number), role: role == 0 ? .key : .initializationSection, url: url, name: name)
            if hasRange == 1 {
                guard let lower = reader.read(), let count = reader.read() else { return nil }
                let start = Int64(clamping: lower)
                companion.range = start..<start.clampedSum(Int64(clamping: count))
            }
            companions.append(companion)
        }
    }

    private static func keys(_ reader: inout VarintReader) -> [EncryptionKey]? {
        guard let count = reader.read() else { return nil }
        var keys: [EncryptionKey] = []
        for _ in 0..<count {
            guard let attributes = attributes(&reader) else { return nil }
            keys.append(EncryptionKey(attributes: attributes))
        }
        return keys
    }

    private static func write(_ list: AttributeList, to writer: inout VarintWriter) {
        writer.write(UInt64(list.attributes.count))
        for attribute in list.attributes {
            writer.write(attribute.name.rawValue)
            writer.write(attribute.value.isQuoted ? 1 : 0)
            writer.write(attribute.value.text)
        }
    }

    private static func attributes(_ reader: inout VarintReader) -> AttributeList? {
        guard let count = reader.read() else { return nil }
        var list = AttributeList()
        for _ in 0..<count {
            guard let name = reader.readText(), let isQuoted = reader.read(), let text = reader.readText() else {
                return nil
            }
            list[AttributeName(rawValue: name)] = isQuoted == 1 ? .quoted(text) : .unquoted(text)
        }
        return list
    }
}
