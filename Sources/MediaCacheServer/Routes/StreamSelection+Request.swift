import MediaCacheAPI
import MediaLibrary

extension StreamSelection {
    /// Creates the selection of a request, with defaults for missing values.
    ///
    /// - Throws: ``Problem`` if a value is invalid.
    init(_ addition: DownloadAddition) throws {
        try self.init(variant: addition.variant, audio: addition.audio, subtitles: addition.subtitles)
    }

    /// Creates the selection of a probe; nil if the request contains none.
    ///
    /// - Throws: ``Problem`` if a value is invalid.
    init?(_ request: ProbeRequest) throws {
        guard request.variant != nil || request.audio != nil || request.subtitles != nil else { return nil }
        try self.init(variant: request.variant, audio: request.audio, subtitles: request.subtitles)
    }

    /// Creates the selection of a preload, without subtitles by default.
    ///
    /// - Throws: ``Problem`` if a value is invalid.
    init(_ request: PreloadRequest) throws {
        try self.init(variant: request.variant, audio: request.audio, subtitles: request.subtitles ?? "none")
    }

    private init(variant: String?, audio: String?, subtitles: String?) throws {
        self.init()
        if let text = variant {
            guard let variants = Variants(text: text) else {
                throw Problem.badRequest("variant must be best, worst, all, a height or a bandwidth, not “\(text)”")
            }
            self.variants = variants
        }
        self.audio = try Self.languages(audio, "audio") ?? self.audio
        self.subtitles = try Self.languages(subtitles, "subtitles") ?? self.subtitles
    }

    private static func languages(_ text: String?, _ name: String) throws -> Languages? {
        guard let text else { return nil }
        if let languages = Languages(text: text) { return languages }
        throw Problem.badRequest("\(name) must be standard, all, none, or languages separated by commas, not “\(text)”")
    }
}
