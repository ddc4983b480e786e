/// A base class for parsers that split a byte stream of NAL units into access units (annex B of ISO/IEC 14496-10 and of
/// 23008-2).
class AccessUnitParser: FrameParser {
    private var scanned = 0
    /// The index of the current NAL unit; nil if its end has been found.
    private var openUnit: Int?
    /// Whether the access unit has a slice, so that the next access unit can begin.
    final var hasSlice = false
    /// Whether decoding can start at the access unit.
    final var foundSync = false
    /// Whether the stream has a new parameter set that the format doesn't contain yet.
    final var setsChanged = false

    // MARK: - Codec-specific parts

    /// The number of bytes after the start code that are needed to classify a NAL unit.
    class var headerLength: Int { 1 }

    /// Returns whether deciding which access unit the unit at `header` belongs to requires more bytes.
    func needsMore(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool { false }

    /// Adds the unit at `header` to the access unit, or returns false if the unit begins the next access unit.
    func accept(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool { true }

    /// Returns whether the whole unit with this first byte is passed to ``readUnit(_:)``.
    func needsContent(_ header: UInt8) -> Bool { false }

    /// Reads a complete unit, including its header but without trailing zeros.
    func readUnit(_ unit: UnsafeRawBufferPointer) {}

    func willFinish() {}

    /// Builds the format from the parameter sets, and clears ``setsChanged``.
    func updateFormat() {}

    // MARK: - Scanning

    final override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        while let start = StartCode.first(in: bytes, from: scanned, to: bytes.count) {
            let header = start + StartCode.length
            guard header + Self.headerLength <= bytes.count else { break }
            if !isLast, needsMore(bytes, at: header) {
                scanned = start
                return .incomplete
            }
            let boundary = start > 0 && bytes[start - 1] == 0 ? start - 1 : start
            if openUnit == nil, !hasSlice, boundary > 0 {
                scanned = 0
                return .garbage(boundary)
            }
            closeUnit(bytes, end: start)
            guard accept(bytes, at: header) else { return finish(boundary) }
            openUnit = header
            scanned = header
        }
        guard isLast else {
            scanned = max(scanned, bytes.count - StartCode.length - Self.headerLength + 1)
            return .incomplete
        }
        closeUnit(bytes, end: bytes.count)
        guard hasSlice else {
            reset()
            return bytes.isEmpty ? .incomplete : .garbage(bytes.count)
        }
        return finish(bytes.count)
    }

    override func reset() {
        scanned = 0
        openUnit = nil
        hasSlice = false
        foundSync = false
    }

    private func finish(_ length: Int) -> Scan {
        isSync = foundSync
        willFinish()
        if setsChanged { updateFormat() }
        reset()
        return .frame(length)
    }

    private func closeUnit(_ bytes: UnsafeRawBufferPointer, end: Int) {
        guard let start = openUnit else { return }
        openUnit = nil
        guard needsContent(bytes[start]) else { return }
        var end = end
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        readUnit(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
}

/// The parameter sets of one type by id, in the order in which the ids first appeared.
struct ParameterSets {
    /// The maximum length of a parameter set in bytes. It limits memory use for damaged streams.
    static let longest = 4096

    private var ids: [Int] = []
    private(set) var units: [[UInt8]] = []

    var isEmpty: Bool { units.isEmpty }

    /// Stores a set, replacing the previous one with the same id. Returns whether it differs from that one.
    mutating func update(_ unit: UnsafeRawBufferPointer, id: Int) -> Bool {
        guard let index = ids.firstIndex(of: id) else {
            ids.append(id)
            units.append(Array(unit))
            return true
        }
        guard !units[index].elementsEqual(unit) else { return false }
        units[index] = Array(unit)
        return true
    }
}
