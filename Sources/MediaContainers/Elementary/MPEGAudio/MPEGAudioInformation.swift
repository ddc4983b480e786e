/// What encoders put into the first frame of a file of MPEG audio, in place of sound: "Xing", "Info" or "VBRI", and LAME's
/// tag. There is no standard of it; all players pass the frame by.
struct MPEGAudioInformation {
    /// How many samples at the beginning aren't the sound's: the encoder's delay, as far as it's told, and the decoder's.
    let priming: Int64

    /// By so many samples decoders of layer III are late.
    private static let decoderDelay: Int64 = 529

    /// Reads a file's first frame; nil where it's one of sound.
    init?(_ frame: UnsafeRawBufferPointer) {
        guard let header = MPEGAudioHeader(frame, at: 0), header.layer == 3 else { return nil }
        let isMono = header.channels == 1
        let sideLength = header.isFirstGeneration ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
        if let start = Self.place(of: ["Xing", "Info"], in: frame, at: MPEGAudioHeader.length + sideLength) {
            priming = Self.encoderDelay(frame, behind: start).map { $0 + Self.decoderDelay } ?? 0
        } else if Self.place(of: ["VBRI"], in: frame, at: MPEGAudioHeader.length + 32) != nil {
            priming = 0
        } else {
            return nil
        }
    }

    private static func place(of names: [String], in frame: UnsafeRawBufferPointer, at place: Int) -> Int? {
        guard place + 8 <= frame.count else { return nil }
        let found = frame[place..<place + 4]
        return names.contains { found.elementsEqual($0.utf8) } ? place : nil
    }

    /// LAME's tag follows the fields that the flags name: 9 bytes of its version, and 12 further on the delay in 12 bits.
    private static func encoderDelay(_ frame: UnsafeRawBufferPointer, behind start: Int) -> Int64? {
        let flags = frame[start + 7]
        var place = start + 8
        for (bit, length) in [4, 4, 100, 4].enumerated() where flags >> bit & 1 == 1 { place += length }
        guard place + 24 <= frame.count,
            ["LAME", "Lavf", "Lavc"].contains(where: { name in
                frame[place..<place + 4].elementsEqual(name.utf8)
            })
        else { return nil }
        return Int64(frame[place + 21]) << 4 | Int64(frame[place + 22]) >> 4
    }
}
