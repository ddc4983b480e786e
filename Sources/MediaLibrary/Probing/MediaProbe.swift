internal import HLS

/// A description of the media at a URL, from which a user chooses what to download.
public struct MediaProbe: Sendable, Hashable, Codable {
    /// A variant stream (RFC 8216bis §4.4.6.2).
    public struct Variant: Sendable, Hashable, Codable {
        /// The selection that downloads and recordings accept for this variant stream: its bandwidth.
        public var selection: String
        /// The peak bit rate in bits per second.
        public var bandwidth: Int
        /// The width of the video in pixels; nil if not declared.
        public var width: Int?
        /// The height of the video in pixels; nil if not declared.
        public var height: Int?
        /// The maximum number of frames per second; nil if not declared.
        public var frameRate: Double?
        /// The codecs in the notation of RFC 6381, separated by commas; nil if not declared.
        public var codecs: String?
        /// The length in bytes, estimated from the duration and the average bit rate, or the peak bit rate if the
        /// average is unknown; nil for a live stream.
        public var length: Int64?
    }

    /// An audio or subtitle rendition (RFC 8216bis §4.4.6.1).
    public struct Rendition: Sendable, Hashable, Codable {
        /// The language (RFC 5646); nil if not declared.
        public var language: String?
        /// The name for display.
        public var name: String
        /// Whether players choose the rendition by default.
        public var isDefault: Bool
    }

    /// The variant streams and renditions of a selection.
    public struct Selected: Sendable, Hashable, Codable {
        /// The variant streams.
        public var variants: [Variant]
        /// The audio renditions of these variant streams. Audio within the variant streams isn't listed.
        public var audio: [Rendition]
        /// The subtitle renditions.
        public var subtitles: [Rendition]
    }

    /// The URL, without user information.
    public var url: String
    /// The kind of resource: a file or a stream.
    public var kind: Asset.Kind
    /// Whether the stream is live.
    public var isLive = false
    /// Whether segments of the stream are encrypted, or the file is protected by DRM.
    public var isEncrypted = false
    /// The media type.
    public var type: String
    /// The length in bytes of the file, or that estimated for the best variant stream; nil if unknown, as for a live
    /// stream or a media playlist.
    public var length: Int64?
    /// Whether ``length`` is exact rather than estimated.
    public var isLengthExact = false
    /// The duration in seconds; that of the current playlist for a live stream. Nil for a file other than an MP4 with a
    /// readable index.
    public var duration: Double?
    /// The variant streams with different peak bit rates, best first; empty for a file or media playlist.
    public var variants: [Variant] = []
    /// The audio renditions with different languages or names; empty for a file or media playlist.
    public var audio: [Rendition] = []
    /// The subtitle renditions with different languages or names; empty for a file or media playlist.
    public var subtitles: [Rendition] = []
    /// The variant streams and renditions of a selection; nil if none was given, and for a file or media playlist.
    public var selected: Selected?
    /// The reason why the stream can't be exported as a file, although it can be downloaded; nil if none is known.
    public var exportObstacle: String?
    /// Remarks for display before a download, one sentence each.
    public var notes: [String] = []
}

extension MediaProbe {
    /// Returns the languages that none of the selected audio renditions has. If the stream declares no audio
    /// renditions, the languages of its audio are unknown, and none is absent.
    public func absentAudio(among languages: [String]) -> [String] {
        audio.isEmpty ? [] : Self.absent(languages, selected?.audio ?? audio)
    }

    /// Returns the languages that none of the selected subtitle renditions has; none for a file or media playlist.
    public func absentSubtitles(among languages: [String]) -> [String] {
        variants.isEmpty ? [] : Self.absent(languages, selected?.subtitles ?? subtitles)
    }

    private static func absent(_ languages: [String], _ renditions: [Rendition]) -> [String] {
        languages.filter { language in !renditions.contains { LanguageTag.matches($0.language, language) } }
    }
}
