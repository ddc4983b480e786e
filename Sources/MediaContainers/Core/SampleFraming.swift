/// What stands around the bytes of a sample in the container that it was read from.
public enum SampleFraming: Sendable, Hashable {
    /// As MP4 stores it: lengths before NAL units, bare frames of sound.
    case stored
    /// A byte stream with start codes (ISO/IEC 14496-10, annex B).
    case startCodes
    /// A frame of AAC with its ADTS header of 7 or 9 bytes (ISO/IEC 14496-3, 1.A.2.2).
    case adts
    /// A frame of AAC in an AudioSyncStream of LATM (ISO/IEC 14496-3, 1.7).
    case loas
}
