/// A writer for `mvhd`, `tkhd`, `mdhd`, `hdlr` and the media headers (ISO/IEC 14496-12, 8.2 to 8.4).
enum TrackHeaderWriter {
    /// The matrix of video without rotation or mirroring.
    static let upright: [Int32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]

    /// Appends `mvhd`, in version 1 if the duration exceeds 32 bits.
    static func movie(timescale: Int32, duration: Int64, nextTrackID: UInt32, to bytes: inout [UInt8]) {
        let isLong = duration > Int64(UInt32.max)
        bytes.appendFullBox("mvhd", version: isLong ? 1 : 0) { bytes in
            times(timescale: timescale, duration: duration, isLong: isLong, to: &bytes)
            bytes.appendBigEndian(UInt32(0x1_0000))
            bytes.appendBigEndian(UInt16(0x100))
            bytes.appendZeros(10)
            for value in upright { bytes.appendBigEndian(value) }
            bytes.appendZeros(24)
            bytes.appendBigEndian(nextTrackID)
        }
    }

    private static let maximumNameLength = 255

    /// Returns whether each track is enabled. Audio tracks are alternatives of each other, as are text tracks. Players
    /// select the enabled one by default. One audio track is always enabled, but text tracks may all be disabled.
    static func enabled(of tracks: [MediaTrack]) -> [Bool] {
        func first(_ kind: MediaKind) -> Int? { tracks.firstIndex { $0.kind == kind && $0.isEnabled } }
        let audio = first(.audio) ?? tracks.firstIndex { $0.kind == .audio }
        let text = first(.text)
        return tracks.indices.map { index in
            switch tracks[index].kind {
            case .audio: index == audio
            case .text: index == text
            case .video, .data: true
            }
        }
    }

    /// Appends `trak`. After `stsd`, `tables` appends the other boxes of `stbl`.
    static func trak(
        _ track: MediaTrack, id: Int, isEnabled: Bool, edits: MovieTimeline.TrackEdits, duration: Int64,
        to bytes: inout [UInt8], tables: (inout [UInt8]) -> Void
    ) throws(ContainerError) {
        try bytes.appendBox("trak") { (bytes) throws(ContainerError) in
            header(
                track, id: UInt32(truncatingIfNeeded: id), isEnabled: isEnabled, duration: edits.duration, to: &bytes)
            edits.write(to: &bytes)
            try bytes.appendBox("mdia") { (bytes) throws(ContainerError) in
                media(track, duration: duration, to: &bytes)
                try bytes.appendBox("minf") { (bytes) throws(ContainerError) in
                    information(track, to: &bytes)
                    try bytes.appendBox("stbl") { (bytes) throws(ContainerError) in
                        try bytes.appendFullBox("stsd") { (bytes) throws(ContainerError) in
                            bytes.appendBigEndian(UInt32(truncatingIfNeeded: track.formats.count))
                            for format in track.formats { try SampleEntryWriter.append(format, to: &bytes) }
                        }
                        tables(&bytes)
                    }
                }
            }
        }
    }

    /// Appends `tkhd`.
    private static func header(
        _ track: MediaTrack, id: UInt32, isEnabled: Bool, duration: Int64, to bytes: inout [UInt8]
    ) {
        let isLong = duration > Int64(UInt32.max)
        // Audio tracks form one alternate group, text tracks another. Players select one track of a group.
        let group: UInt16 = track.kind == .audio ? 1 : track.kind == .text ? 2 : 0
        bytes.appendFullBox("tkhd", version: isLong ? 1 : 0, flags: isEnabled ? 3 : 2) { bytes in
            bytes.appendZeros(isLong ? 16 : 8)
            bytes.appendBigEndian(id)
            bytes.appendZeros(4)
            bytes.appendBigEndian(duration, isLong: isLong)
            bytes.appendZeros(10)
            bytes.appendBigEndian(group)
            bytes.appendBigEndian(UInt16(track.kind == .audio ? 0x100 : 0))
            bytes.appendZeros(2)
            for value in track.matrix ?? upright { bytes.appendBigEndian(value) }
            bytes.appendBigEndian(UInt32(UInt16(clamping: track.format?.width ?? 0)) << 16)
            bytes.appendBigEndian(UInt32(UInt16(clamping: track.format?.height ?? 0)) << 16)
        }
    }

    /// Appends `mdhd`, `elng` and `hdlr`.
    private static func media(_ track: MediaTrack, duration: Int64, to bytes: inout [UInt8]) {
        let isLong = duration > Int64(UInt32.max)
        bytes.appendFullBox("mdhd", version: isLong ? 1 : 0) { bytes in
            times(timescale: track.timescale, duration: duration, isLong: isLong, to: &bytes)
            bytes.appendBigEndian(packed(language: track.language))
            bytes.appendZeros(2)
        }
        // Some languages can't be expressed in three letters, such as de-CH (8.4.6).
        if let language = LanguageCode.extended(track.language) {
            bytes.appendFullBox("elng") { $0 += Array(language.utf8) + [0] }
        }
        bytes.appendFullBox("hdlr") { bytes in
            bytes.appendZeros(4)
            bytes.append(handler(track))
            bytes.appendZeros(12)
            bytes += Array(handlerName(track).utf8) + [0]
        }
    }

    /// Appends `vmhd`, `smhd`, `sthd` or `nmhd`, and a `dinf` that refers to the same file.
    private static func information(_ track: MediaTrack, to bytes: inout [UInt8]) {
        switch track.kind {
        case .video: bytes.appendFullBox("vmhd", flags: 1) { $0.appendZeros(8) }
        case .audio: bytes.appendFullBox("smhd") { $0.appendZeros(4) }
        case .text, .data: bytes.appendFullBox(handler(track) == "subt" ? "sthd" : "nmhd") { (_: inout [UInt8]) in }
        }
        bytes.appendBox("dinf") { bytes in
            bytes.appendFullBox("dref") { bytes in
                bytes.appendBigEndian(UInt32(1))
                bytes.appendFullBox("url ", flags: 1) { (_: inout [UInt8]) in }
            }
        }
    }

    private static func times(timescale: Int32, duration: Int64, isLong: Bool, to bytes: inout [UInt8]) {
        bytes.appendZeros(isLong ? 16 : 8)
        bytes.appendBigEndian(timescale)
        bytes.appendBigEndian(duration, isLong: isLong)
    }

    private static func handler(_ track: MediaTrack) -> FourCC {
        switch track.kind {
        case .video: "vide"
        case .audio: "soun"
        case .data: "meta"
        case .text:
            switch track.format?.codec {
            case .ttml: "subt"
            case .timedText: "sbtl"
            default: "text"
            }
        }
    }

    /// Returns the display name of the track, or the kind of media. Control characters are removed: they could end the
    /// name or control a terminal.
    private static func handlerName(_ track: MediaTrack) -> String {
        var name = ""
        var length = 0
        for scalar in (track.name ?? "").unicodeScalars where scalar.properties.generalCategory != .control {
            length += UTF8.width(scalar)
            guard length <= maximumNameLength else { break }
            name.unicodeScalars.append(scalar)
        }
        guard name.isEmpty else { return name }
        return switch track.kind {
        case .video: "VideoHandler"
        case .audio: "SoundHandler"
        case .text: "SubtitleHandler"
        case .data: "DataHandler"
        }
    }

    /// Returns the three letters of a language (``LanguageCode/threeLetters(_:)``) in five bits each.
    static func packed(language: String?) -> UInt16 {
        LanguageCode.threeLetters(language).utf8.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
    }
}
