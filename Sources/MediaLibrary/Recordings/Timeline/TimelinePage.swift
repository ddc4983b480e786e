import HLS
internal import MediaCache

/// A run of consecutive segments of one track: the unit of reading and writing.
package struct TimelinePage: Sendable, Hashable {
    /// The maximum number of segments in a page.
    package static let capacity = 256

    /// The number of the first segment.
    package var first: Int64
    /// The number of discontinuities before the first segment since the recording's beginning.
    package var discontinuities: Int64
    /// The segments in the order of their numbers, without missing numbers.
    package var segments: [RecordedSegment]

    /// The number after that of the last segment.
    package var end: Int64 { first + Int64(segments.count) }

    /// The segment with this number; nil if it isn't in this page.
    package subscript(number: Int64) -> RecordedSegment? {
        get { segments.indices.contains(Int(number - first)) ? segments[Int(number - first)] : nil }
        set {
            guard let newValue, segments.indices.contains(Int(number - first)) else { return }
            segments[Int(number - first)] = newValue
        }
    }
}

/// The file format of a page: variable-length integers of seven bits per byte, followed by a CRC-32C checksum. Segments
/// are mostly stored as differences from their predecessors, and conditions only if they differ.
extension TimelinePage {
    private static let mark: UInt32 = 0x4D43_5432
    /// The mark of an earlier format without overruns, arrivals and independence. It's read in the same way.
    private static let firstMark: UInt32 = 0x4D43_5431
    private static let millisecond: Int64 = 1_000_000

    private enum Flag {
        static let stateMask: UInt64 = 3
        static let isDiscontinuous: UInt64 = 4
        static let isWrapped: UInt64 = 8
        static let hasRange: UInt64 = 16
        static let hasTags: UInt64 = 32
        static let hasOtherConditions: UInt64 = 64
        static let hasOtherTarget: UInt64 = 128
        static let hasOtherFileExtension: UInt64 = 256
        static let hasFirstFrameLength: UInt64 = 512
        static let hasOverrun: UInt64 = 1024
        static let hasArrival: UInt64 = 2048
        static let isIndependent: UInt64 = 4096
        static let hasOtherScope: UInt64 = 8192
        static let hasClockLag: UInt64 = 16384
        static let hasOtherDiscontinuity: UInt64 = 32768
    }

    package var encoded: [UInt8] {
        var writer = VarintWriter()
        writer.write(fixed: Self.mark)
        writer.write(UInt64(first))
        writer.write(UInt64(discontinuities))
        writer.write(UInt64(segments.count))
        var last = RecordedSegment(number: first - 1, start: 0, duration: 0, targetDuration: 0, state: .stored)
        var (lastLag, lastClockLag): (Int64, Int64) = (0, 0)
        for segment in segments {
            var flags = UInt64(segment.state.rawValue)
            if segment.isDiscontinuous { flags |= Flag.isDiscontinuous }
            if segment.isWrapped { flags |= Flag.isWrapped }
            if segment.range != nil { flags |= Flag.hasRange }
            if !segment.tags.isEmpty { flags |= Flag.hasTags }
            if segment.conditions != last.conditions { flags |= Flag.hasOtherConditions }
            if segment.targetDuration != last.targetDuration { flags |= Flag.hasOtherTarget }
            if segment.fileExtension != last.fileExtension { flags |= Flag.hasOtherFileExtension }
            if segment.firstFrameLength > 0 { flags |= Flag.hasFirstFrameLength }
            if segment.overrun > 0 { flags |= Flag.hasOverrun }
            if segment.arrival != nil { flags |= Flag.hasArrival }
            if segment.isIndependent { flags |= Flag.isIndependent }
            if segment.scope != last.scope { flags |= Flag.hasOtherScope }
            if segment.clockLag != nil { flags |= Flag.hasClockLag }
            if segment.originDiscontinuity != last.originDiscontinuity { flags |= Flag.hasOtherDiscontinuity }
            writer.write(flags)
            writer.write(signed: segment.start &- last.end)
            writer.write(signed: segment.duration &- last.duration)
            if segment.overrun > 0 { writer.write(UInt64(segment.overrun)) }
            if let arrival = segment.arrival {
                let lag = arrival / Self.millisecond &- segment.end / Self.millisecond
                writer.write(signed: lag &- lastLag)
                lastLag = lag
            }
            if let lag = segment.clockLag {
                writer.write(signed: lag / Self.millisecond &- lastClockLag)
                lastClockLag = lag / Self.millisecond
            }
            writer.write(UInt64(clamping: segment.length))
            writer.write(signed: Int64(segment.originSequence &- last.originSequence &- 1))
            writer.write(segment.url, after: last.url)
            if segment.fileExtension != last.fileExtension { writer.write(segment.fileExtension) }
            if segment.targetDuration != last.targetDuration { writer.write(UInt64(clamping: segment.targetDuration)) }
            if segment.firstFrameLength > 0 { writer.write(UInt64(segment.firstFrameLength)) }
            if segment.scope != last.scope { writer.write(Self.number(of: segment.scope)) }
            if segment.originDiscontinuity != last.originDiscontinuity {
                writer.write(segment.originDiscontinuity.map { UInt64(clamping: $0) + 1 } ?? 0)
            }
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

    /// Decodes ``encoded``. Returns nil if the bytes are invalid or damaged.
    package init?(encoded bytes: [UInt8]) {
        guard bytes.count > 8 else { return nil }
        var checksum = VarintReader(bytes.suffix(4))
        guard checksum.readFixed() == bytes.withUnsafeBytes({ CRC32C.extend(with: .init(rebasing: $0.dropLast(4))) })
        else { return nil }
        var reader = VarintReader(bytes.dropLast(4))
        guard let mark = reader.readFixed(), mark == Self.mark || mark == Self.firstMark, let first = reader.read(),
            let discontinuities = reader.read(),
            let count = reader.read(), (1...UInt64(Self.capacity)).contains(count), first <= UInt64(Int64.max) >> 1
        else { return nil }
        self.init(first: Int64(first), discontinuities: Int64(clamping: discontinuities), segments: [])
        segments.reserveCapacity(Int(count))
        var segment = RecordedSegment(number: self.first - 1, start: 0, duration: 0, targetDuration: 0, state: .stored)
        var lags = Lags()
        for _ in 0..<count {
            guard Self.read(&reader, into: &segment, &lags) else { return nil }
            segments.append(segment)
        }
        guard reader.isAtEnd else { return nil }
    }

    /// The range of starts, up to the year 2116, and the maximum duration and length. Sums stay within 64 bits.
    static let starts: ClosedRange<Int64> = -(1 << 61)...1 << 62
    private static let longest: Int64 = 1 << 60

    private static func number(of scope: AddressScope?) -> UInt64 {
        switch scope {
        case nil: 0
        case .any: 1
        case .publicOnly: 2
        }
    }

    /// The lags of earlier segments, in milliseconds.
    private struct Lags {
        /// The time from the end of the last segment with an arrival to this arrival.
        var arrival: Int64 = 0
        /// The last lag of the track's clock.
        var clock: Int64 = 0
    }

    /// Decodes a segment from its predecessor. Returns whether the bytes are valid.
    private static func read(
        _ reader: inout VarintReader, into segment: inout RecordedSegment, _ lags: inout Lags
    ) -> Bool {
        guard let flags = reader.read(), let state = RecordedSegment.State(rawValue: UInt8(flags & Flag.stateMask)),
            let start = reader.readSigned(), let duration = reader.readSigned(),
            readTimes(&reader, flags, start, duration, into: &segment, &lags), let length = reader.read(),
            let sequence = reader.readSigned(), let url = reader.readText(after: segment.url)
        else { return false }
        guard length <= UInt64(longest) else { return false }
        segment.number += 1
        segment.state = state
        segment.isDiscontinuous = flags & Flag.isDiscontinuous != 0
        segment.isWrapped = flags & Flag.isWrapped != 0
        segment.length = Int64(length)
        segment.originSequence = segment.originSequence &+ 1 &+ Int(sequence)
        segment.url = url
        segment.firstFrameLength = 0
        segment.range = nil
        if !segment.tags.isEmpty { segment.tags = [] }
        if flags & Flag.hasOtherFileExtension != 0 {
            guard let fileExtension = reader.readText() else { return false }
            segment.fileExtension = fileExtension
        }
        if flags & Flag.hasOtherTarget != 0 {
            guard let target = reader.read() else { return false }
            segment.targetDuration = Int(clamping: target)
        }
        if flags & Flag.hasFirstFrameLength != 0 {
            guard let length = reader.read() else { return false }
            segment.firstFrameLength = Int64(clamping: length)
        }
        if flags & Flag.hasOtherScope != 0 {
            guard let number = reader.read() else { return false }
            segment.scope = number == 0 ? nil : number == 1 ? .any : .publicOnly
        }
        if flags & Flag.hasOtherDiscontinuity != 0 {
            guard let number = reader.read(), number <= UInt64(longest) else { return false }
            segment.originDiscontinuity = number == 0 ? nil : Int64(number) - 1
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

    /// Decodes the times of a segment. Returns whether the bytes are valid.
    private static func readTimes(
        _ reader: inout VarintReader, _ flags: UInt64, _ start: Int64, _ duration: Int64,
        into segment: inout RecordedSegment, _ lags: inout Lags
    ) -> Bool {
        segment.start = segment.end &+ start
        segment.duration &+= duration
        guard starts.contains(segment.start), (0...longest).contains(segment.duration) else { return false }
        segment.overrun = 0
        if flags & Flag.hasOverrun != 0 {
            guard let overrun = reader.read(), overrun <= UInt64(segment.duration) else { return false }
            segment.overrun = Int64(overrun)
        }
        segment.arrival = nil
        if flags & Flag.hasArrival != 0 {
            guard let change = reader.readSigned() else { return false }
            lags.arrival &+= change
            let arrival = (segment.end / millisecond &+ lags.arrival).multipliedReportingOverflow(by: millisecond)
            guard !arrival.overflow, starts.contains(arrival.partialValue) else { return false }
            segment.arrival = arrival.partialValue
        }
        segment.clockLag = nil
        if flags & Flag.hasClockLag != 0 {
            guard let change = reader.readSigned() else { return false }
            lags.clock &+= change
            let lag = lags.clock.multipliedReportingOverflow(by: millisecond)
            guard !lag.overflow, abs(lag.partialValue) <= starts.upperBound else { return false }
            segment.clockLag = lag.partialValue
        }
        segment.isIndependent = flags & Flag.isIndependent != 0
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
