/// The programs of a transport stream, from the association table and the program maps (ISO/IEC 13818-1, 2.4.4). A
/// changed table replaces the previous one.
struct ProgramTables {
    struct Found {
        var hasAssociation = false
        /// The new or changed program maps.
        var maps: [ProgramMap] = []
        var damage: [String] = []
    }

    /// The maximum number of programs. Tables with more are ignored.
    private static let maximumPrograms = 256

    private var association: ProgramAssociation?
    private var maps: [Int: ProgramMap] = [:]
    private var assemblers: [Int: SectionAssembler] = [:]
    private var counters: [Int: UInt8] = [:]
    private var clocks: [Int: ProgramClock] = [:]
    /// A time near the first timestamps of the programs, or nil if the clocks begin with them.
    var clockStart: Int64?

    var mapPIDs: [Int] { association?.programs.map(\.mapPID) ?? [] }

    mutating func clock(of program: Int) -> ProgramClock {
        if let clock = clocks[program] { return clock }
        let clock = ProgramClock(after: clockStart)
        clocks[program] = clock
        return clock
    }

    mutating func resetClocks() {
        clockStart = nil
        for clock in clocks.values { clock.reset() }
    }

    mutating func push(_ packet: TransportPacket, _ payload: UnsafeRawBufferPointer) -> Found {
        var found = Found()
        var assembler = assemblers[packet.pid] ?? SectionAssembler()
        if let last = counters[packet.pid], last != packet.continuityCounter,
            (last + 1) & 15 != packet.continuityCounter, !packet.startsUnit
        {
            assembler.reset()
        }
        counters[packet.pid] = packet.continuityCounter
        for section in assembler.push(payload, startsUnit: packet.startsUnit) {
            section.withUnsafeBytes { read($0, pid: packet.pid, into: &found) }
        }
        assemblers[packet.pid] = assembler
        return found
    }

    private mutating func read(_ section: UnsafeRawBufferPointer, pid: Int, into found: inout Found) {
        // table_id, section_length, five bytes and the checksum are the minimum.
        guard section.count >= 12, section[0] == (pid == 0 ? 0x00 : 0x02) else { return }
        guard SectionChecksum.remainder(section) == 0 else {
            found.damage.append("PID \(pid): table with a wrong checksum")
            return
        }
        let content = UnsafeRawBufferPointer(rebasing: section[..<(section.count - 4)])
        do {
            if pid == 0 {
                if let new = try ProgramAssociation(content) { replaceAssociation(new, into: &found) }
            } else if let new = try ProgramMap(content), maps[new.programNumber] != new {
                guard maps.count < Self.maximumPrograms else { return }
                maps[new.programNumber] = new
                found.maps.append(new)
            }
        } catch {
            found.damage.append("PID \(pid): \(error.summary)")
        }
    }

    private mutating func replaceAssociation(_ new: ProgramAssociation, into found: inout Found) {
        guard new != association, new.programs.count <= Self.maximumPrograms else { return }
        association = new
        found.hasAssociation = true
        // A program number that was removed may be reused for a different program.
        maps = maps.filter { number, _ in new.programs.contains { $0.number == number } }
    }
}

/// The clock that the streams of a program share, so that their timestamps are on one timeline.
final class ProgramClock {
    private var unwrapper: TimestampUnwrapper

    init(after time: Int64? = nil) { unwrapper = TimestampUnwrapper(after: time) }

    func unwrap(_ value: Int64) -> Int64 { unwrapper.unwrap(value) }

    func reset() { unwrapper.reset() }
}

/// A converter from a 33-bit counter that wraps every 26.5 hours to continuous time (ISO/IEC 13818-1, 2.4.3.7).
struct TimestampUnwrapper {
    static let period: Int64 = 1 << 33
    /// A stream that begins less than this time before a wrap begins below 0, so that timestamps after the wrap keep
    /// their values.
    private static let lead: Int64 = 60 * 90_000

    private var last: Int64?

    /// Creates an unwrapper. `time` is near the first value, or nil if the timeline begins there.
    init(after time: Int64? = nil) { last = time }

    /// Returns the time of a counter value that is nearest to the previous time.
    mutating func unwrap(_ value: Int64) -> Int64 {
        guard let last else {
            let first = value >= Self.period - Self.lead ? value - Self.period : value
            self.last = first
            return first
        }
        var time = last + Self.distance(from: last, to: value)
        // Only damaged timestamps, which repeatedly move by half a period, exceed the bounds. The timeline restarts.
        if !Timescale.isInBounds(time, of: 90_000) { time = value }
        self.last = time
        return time
    }

    /// Returns the distance between a time and a counter value in the shorter direction.
    static func distance(from time: Int64, to value: Int64) -> Int64 {
        var difference = value.subtractingClamped(max(time, -.max)) % period
        if difference < 0 { difference += period }
        return difference >= period / 2 ? difference - period : difference
    }

    /// Resets the unwrapper. The next value is unrelated to the last.
    mutating func reset() { last = nil }
}
