/// The programmes of a transport stream: reads the association table and the maps, whole sections with right
/// checksums only, and again when their versions change (ISO/IEC 13818-1, 2.4.4).
struct ProgramTables {
    /// What a packet of a table brought.
    struct Found {
        var hasAssociation = false
        /// Maps that are new or changed.
        var maps: [ProgramMap] = []
        var damage: [String] = []
    }

    /// More programmes than this are damage.
    private static let mostPrograms = 256

    private var association: ProgramAssociation?
    private var maps: [Int: ProgramMap] = [:]
    private var assemblers: [Int: SectionAssembler] = [:]
    private var counters: [Int: UInt8] = [:]
    private var clocks: [Int: ProgramClock] = [:]
    /// The time that the first time stamps are nearest to; nil where they begin a clock.
    var clockStart: Int64?

    /// The PIDs that carry maps.
    var mapPIDs: [Int] { association?.programs.map(\.mapPID) ?? [] }

    /// What the streams of a programme share.
    mutating func clock(of program: Int) -> ProgramClock {
        if let clock = clocks[program] { return clock }
        let clock = ProgramClock(after: clockStart)
        clocks[program] = clock
        return clock
    }

    /// Lets the times of all programmes begin anew.
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
        // table_id, section_length, five bytes and the checksum are the least.
        guard section.count >= 12, section[0] == (pid == 0 ? 0x00 : 0x02) else { return }
        guard SectionChecksum.remainder(section) == 0 else {
            found.damage.append("PID \(pid): a table with a wrong checksum")
            return
        }
        let content = UnsafeRawBufferPointer(rebasing: section[..<(section.count - 4)])
        do {
            if pid == 0 {
                if let new = try ProgramAssociation(content) { take(new, into: &found) }
            } else if let new = try ProgramMap(content), maps[new.programNumber] != new {
                guard maps.count < Self.mostPrograms else { return }
                maps[new.programNumber] = new
                found.maps.append(new)
            }
        } catch {
            found.damage.append("PID \(pid): \(error.what)")
        }
    }

    private mutating func take(_ new: ProgramAssociation, into found: inout Found) {
        guard new != association, new.programs.count <= Self.mostPrograms else { return }
        association = new
        found.hasAssociation = true
        // A programme whose map was announced anew under a number used before may be another one.
        maps = maps.filter { number, _ in new.programs.contains { $0.number == number } }
    }
}

/// What the streams of one programme share: the line of time on which their stamps lie.
final class ProgramClock {
    private var unwrapper: TimestampUnwrapper

    /// A clock whose first value is the one nearest to a time; nil begins at the first value.
    init(after time: Int64? = nil) { unwrapper = TimestampUnwrapper(after: time) }

    func unwrap(_ value: Int64) -> Int64 { unwrapper.unwrap(value) }

    func reset() { unwrapper.reset() }
}

/// Makes one line of time from 33-bit counters that begin again at 0 every 26.5 hours (ISO/IEC 13818-1, 2.4.3.7).
struct TimestampUnwrapper {
    /// A counter's values.
    static let period: Int64 = 1 << 33
    /// A stream that begins less than a minute before the counter wraps begins below 0, so that what comes after the
    /// wrap has the times that it says.
    private static let lead: Int64 = 60 * 90_000

    private var last: Int64?

    /// An unwrapper whose first value is the one nearest to a time; nil begins below or at the first value.
    init(after time: Int64? = nil) { last = time }

    /// The time of a counter's value: the one that is nearest to the last.
    mutating func unwrap(_ value: Int64) -> Int64 {
        guard let last else {
            let first = value >= Self.period - Self.lead ? value - Self.period : value
            self.last = first
            return first
        }
        var time = last + Self.distance(from: last, to: value)
        // Only damage gets there, by half a period with each stamp: the counter begins again.
        if !Timescale.isInBounds(time, of: 90_000) { time = value }
        self.last = time
        return time
    }

    /// How far a counter's value is from a time, whichever way is shorter.
    static func distance(from time: Int64, to value: Int64) -> Int64 {
        var difference = value.subtractingClamped(max(time, -.max)) % period
        if difference < 0 { difference += period }
        return difference >= period / 2 ? difference - period : difference
    }

    /// Begins anew: the next value has no relation to the last.
    mutating func reset() { last = nil }
}
