/// The programme association table: which PID carries the map of which programme (ISO/IEC 13818-1, 2.4.4.3).
struct ProgramAssociation: Equatable {
    /// A programme and the PID of its map.
    struct Program: Equatable {
        var number: Int
        var mapPID: Int
    }

    var version: Int
    var programs: [Program] = []

    /// Reads a section without its checksum; nil if it is another table, or one that isn't valid yet.
    init?(_ section: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = ByteReader(section)
        guard try reader.uint8() == 0x00 else { return nil }
        try reader.skip(4)
        let state = try reader.uint8()
        guard state & 1 != 0 else { return nil }
        version = Int(state >> 1 & 0x1F)
        try reader.skip(2)
        while reader.remaining >= 4 {
            let number = Int(try reader.uint16())
            let pid = Int(try reader.uint16() & 0x1FFF)
            // Programme 0 names the network information table.
            if number != 0 { programs.append(Program(number: number, mapPID: pid)) }
        }
    }
}
