import MediaCacheAPI
import MediaLibrary

extension StreamSelection {
    /// What a request names; what it doesn't is the standard.
    ///
    /// - Throws: ``Problem`` for what can't be read.
    init(_ wanted: DownloadAddition) throws {
        self.init()
        if let text = wanted.variant {
            guard let variants = Variants(text: text) else {
                throw Problem.badRequest("variant is best, worst, all, a height or a bandwidth, not “\(text)”")
            }
            self.variants = variants
        }
        audio = try Self.languages(wanted.audio, "audio") ?? audio
        subtitles = try Self.languages(wanted.subtitles, "subtitles") ?? subtitles
    }

    private static func languages(_ text: String?, _ name: String) throws -> Languages? {
        guard let text else { return nil }
        if let languages = Languages(text: text) { return languages }
        throw Problem.badRequest("\(name) is standard, all, none or languages with commas between, not “\(text)”")
    }
}
