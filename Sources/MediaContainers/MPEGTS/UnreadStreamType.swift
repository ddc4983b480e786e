/// Sound and pictures that transport streams carry and that aren't read here, by their stream types (ISO/IEC 13818-1, table
/// 2-34, and what Blu-ray and ATSC use).
struct UnreadStreamType {
    let kind: MediaKind
    let name: String

    /// Nil for what may be anything.
    init?(_ raw: UInt8) {
        switch raw {
        case 0x10: self.init(.video, "MPEG-4 Visual")
        case 0x1C: self.init(.audio, "MPEG-4 audio")
        case 0x21: self.init(.video, "JPEG 2000")
        case 0x2D, 0x2E: self.init(.audio, "MPEG-H 3D audio")
        case 0x33: self.init(.video, "H.266")
        case 0x42, 0xD2, 0xD4: self.init(.video, "AVS")
        case 0x80: self.init(.audio, "LPCM")
        case 0x82, 0x8A: self.init(.audio, "DTS")
        case 0x83: self.init(.audio, "TrueHD")
        case 0x85, 0x88: self.init(.audio, "DTS-HD")
        case 0xD1: self.init(.video, "Dirac")
        case 0xEA: self.init(.video, "VC-1")
        default: return nil
        }
    }

    private init(_ kind: MediaKind, _ name: String) {
        self.kind = kind
        self.name = name
    }
}
