import MediaCacheAPI
import MediaLibrary

extension StreamSelection {
    /// Creates the selection of a request, with defaults for missing values.
    ///
    /// - Throws: ``Problem`` if a value is invalid.
    init(_ addition: DownloadAddition) throws {
        self.init()
        if let text = addition.variant {
            guard let variants = Variants(text: text) else {
                throw Problem.badRequest("variant must be best, worst, all, a height or a bandwidth, not “\(text)”")
            }
            self.variants = variants
        }
        audio = try Self.languages(addition.audio, "audio") ?? audio
        subtitles = try Self.languages(addition.subtitles, "subtitles") ?? subtitles
    }

    private static func languages(_ text: String?, _ name: String) throws -> Languages? {
        guard let text else { return nil }
        if let languages = Languages(text: text) { return languages }
        throw Problem.badRequest("\(name) must be standard, all, none, or languages separated by commas, not “\(text)”")
    }
}
