import MediaContainers

/// A generator of single-track movies with times that no writer produces.
struct TimedMovie {
    /// The timescale of `mvhd`.
    var movieTimescale: UInt32 = 600
    /// The timescale of `mdhd`.
    var timescale: UInt32 = 90_000
    /// The entries of `elst` in version 1. A media time of -1 is an empty edit.
    var edits: [(duration: UInt64, mediaTime: Int64)] = []
    /// The handler: `vide` or `soun`.
    var handler = "vide"
    /// The decoding time of each fragment (`tfdt`).
    var decodeTimes: [UInt64] = [0]
    /// The duration in an `mdhd` of version 1. If nil, `mdhd` has version 0 and a duration of 0.
    var mediaDuration: UInt64?
    /// The duration of every sample.
    var duration: UInt32 = 3000
    /// The composition offset of every sample of a progressive file.
    var compositionOffset: Int32 = 0

    private static let sample = hexadecimal("00000005658840000000")
    private static let samples = 5
    private static let matrix = words([0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000])

    /// `ftyp` and `moov` without samples.
    var initialization: [UInt8] { movie(table: Self.emptyTable, extends: true) }

    /// A fragment of two samples for each decoding time.
    var fragments: [UInt8] { decodeTimes.flatMap(fragment) }

    /// The initialization section and the fragments in one file.
    var fragmentedFile: [UInt8] { initialization + fragments }

    /// A progressive file of five samples.
    var progressiveFile: [UInt8] {
        let length = UInt32(movie(table: table(offset: 0), extends: false).count)
        let media = [[UInt8]](repeating: Self.sample, count: Self.samples).flatMap(\.self)
        return movie(table: table(offset: length + 8), extends: false) + Self.box("mdat", media)
    }

    private func movie(table: [UInt8], extends: Bool) -> [UInt8] {
        let box = Self.box, full = Self.full, words = Self.words
        let file = box("ftyp", Array("isom".utf8) + words([512]) + Array("isomiso5".utf8))
        let movieHeader = words([0, 0, movieTimescale, 0, 0x1_0000, 0x100_0000, 0, 0]) + Self.matrix
        let trackHeader = words([0, 0, 1, 0, 0, 0, 0, 0, 0]) + Self.matrix + words([16 << 16, 16 << 16])
        let entries = edits.flatMap {
            Self.long($0.duration) + Self.long(UInt64(bitPattern: $0.mediaTime)) + words([0x1_0000])
        }
        let edit = edits.isEmpty ? [] : box("edts", full("elst", 1, 0, words([UInt32(edits.count)]) + entries))
        let times = words([0, 0, 0, 0, timescale])
        let mediaHeader =
            mediaDuration.map { full("mdhd", 1, 0, times + Self.long($0) + words([0x55C4_0000])) }
            ?? full("mdhd", 0, 0, words([0, 0, timescale, 0, 0x55C4_0000]))
        let description = handler == "soun" ? Self.audioDescription : Self.description
        let handlerFields = words([0]) + Array(handler.utf8) + words([0, 0, 0, 0x7600_0000])
        let sampleTable = box("stbl", full("stsd", 0, 0, words([1]) + description) + table)
        let media = box("mdia", mediaHeader + full("hdlr", 0, 0, handlerFields) + box("minf", sampleTable))
        let track = box("trak", full("tkhd", 0, 3, trackHeader) + edit + media)
        let defaults = extends ? box("mvex", full("trex", 0, 0, words([1, 1, duration, 4, 0]))) : []
        return file + box("moov", full("mvhd", 0, 0, movieHeader + words([0, 0, 0, 0, 0, 0, 2])) + track + defaults)
    }

    private static var emptyTable: [UInt8] {
        ["stts", "stsc", "stco"].flatMap { full($0, 0, 0, words([0])) } + full("stsz", 0, 0, words([0, 0]))
    }

    private func table(offset: UInt32) -> [UInt8] {
        let full = Self.full, words = Self.words
        let count = UInt32(Self.samples)
        let offsets = UInt32(bitPattern: compositionOffset)
        return full("stts", 0, 0, words([1, count, duration]))
            + full("ctts", 1, 0, words([count]) + (0..<count).flatMap { _ in words([1, offsets]) })
            + full("stsc", 0, 0, words([1, 1, count, 1]))
            + full("stsz", 0, 0, words([UInt32(Self.sample.count), count])) + full("stco", 0, 0, words([1, offset]))
    }

    private func fragment(at time: UInt64) -> [UInt8] {
        let box = Self.box, full = Self.full, words = Self.words
        let size = UInt32(Self.sample.count)
        func head(_ offset: Int) -> [UInt8] {
            let run = words([2, UInt32(offset), duration, size, duration, size])
            return box(
                "moof",
                full("mfhd", 0, 0, words([1]))
                    + box(
                        "traf",
                        full("tfhd", 0, 0x2_0000, words([1])) + full("tfdt", 1, 0, Self.long(time))
                            + full("trun", 0, 0x301, run)))
        }
        return head(head(0).count + 8) + box("mdat", Self.sample + Self.sample)
    }

    /// A sample entry `.mp3` with one channel at 48 kHz.
    private static var audioDescription: [UInt8] {
        box(".mp3", words([0, 1, 0, 0, 1 << 16 | 16, 0, 48_000 << 16]))
    }

    /// A sample entry `avc1` of 16 × 16 pixels.
    private static var description: [UInt8] {
        let configuration = hexadecimal("0142c00affe100086742c00ada117be001000468ce3c80")
        let fields =
            words([0, 1, 0, 0, 0, 0, 16 << 16 | 16, 0x48_0000, 0x48_0000, 0, 1 << 16])
            + [UInt8](repeating: 0, count: 30) + [0, 24, 0xFF, 0xFF]
        return box("avc1", fields + box("avcC", configuration))
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        words([UInt32(content.count + 8)]) + Array(type.utf8) + content
    }

    private static func full(_ type: String, _ version: UInt32, _ flags: UInt32, _ content: [UInt8]) -> [UInt8] {
        box(type, words([version << 24 | flags]) + content)
    }

    private static func words(_ values: [UInt32]) -> [UInt8] {
        values.flatMap { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    }

    private static func long(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    private static func hexadecimal(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
        }
    }
}
