/// Splits a byte stream of NAL units into access units (annex B of ISO/IEC 14496-10 and of 23008-2): the part that both
/// codecs share. A class for each of them says what its units are.
class AccessUnitParser: FrameParser {
    private var scanned = 0
    /// Where the NAL unit begins whose end isn't found yet.
    private var openUnit: Int?
    /// Whether a slice of the access unit has come, so that the next one can begin.
    final var hasSlice = false
    /// Whether decoding can start at the access unit.
    final var foundSync = false
    /// Whether a parameter set has come that the format doesn't have yet.
    final var setsChanged = false

    // MARK: - What a codec says

    /// The bytes of a NAL unit that have to be here to look at it, start code not counted.
    class var headerLength: Int { 1 }

    /// Whether more of the unit whose header is at `header` may come, and is needed to tell whose it is.
    func needsMore(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool { false }

    /// Takes the unit whose header is at `header` into the access unit; false if it begins the next one.
    func take(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool { true }

    /// Whether a unit that begins with this byte is looked at when it's whole.
    func isKept(_ header: UInt8) -> Bool { false }

    /// Looks at a unit that is whole, its header included and trailing zeros left out.
    func keep(_ unit: UnsafeRawBufferPointer) {}

    /// Called when the access unit is whole, before it's handed out and forgotten.
    func willFinish() {}

    /// Makes the format of the parameter sets that have come, and clears ``setsChanged``.
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
            guard take(bytes, at: header) else { return finish(boundary) }
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
        guard isKept(bytes[start]) else { return }
        var end = end
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        keep(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
}

/// Parameter sets of one type by their id, in the order in which the ids first came.
struct ParameterSets {
    /// A longer set is damage: what is kept of a stream must stay small.
    static let longest = 4096

    private var ids: [Int] = []
    private(set) var units: [[UInt8]] = []

    var isEmpty: Bool { units.isEmpty }

    /// Keeps a set in the place of the last one of its id.
    ///
    /// - Returns: Whether it differs from that one.
    mutating func update(_ unit: UnsafeRawBufferPointer, id: Int) -> Bool {
        guard let place = ids.firstIndex(of: id) else {
            ids.append(id)
            units.append(Array(unit))
            return true
        }
        guard !isEqual(units[place], unit) else { return false }
        units[place] = Array(unit)
        return true
    }

    /// Whether the set of an id is this one.
    func contains(_ unit: UnsafeRawBufferPointer, id: Int) -> Bool {
        guard let place = ids.firstIndex(of: id) else { return false }
        return isEqual(units[place], unit)
    }

    mutating func removeAll() {
        ids.removeAll()
        units.removeAll()
    }

    private func isEqual(_ kept: [UInt8], _ unit: UnsafeRawBufferPointer) -> Bool {
        kept.count == unit.count && kept.withUnsafeBytes { $0.elementsEqual(unit) }
    }
}
